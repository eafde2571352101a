import { type ChildProcess, spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How a program ended: with an exit code, or by a signal. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that is owned by the scope. */
export interface Program {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Waits until its output on either stream matches; fails if it ends before, or after the timeout. */
  readonly says: (pattern: RegExp, timeoutMs?: number) => Effect.Effect<RegExpExecArray>
  readonly send: (signal: NodeJS.Signals) => void
  readonly ended: Effect.Effect<Ended>
  readonly hasEnded: () => boolean
}

const PATIENCE_MS = 60_000

/** Starts a program; closing the scope kills it. */
export const startProgram = (
  command: string,
  args: ReadonlyArray<string>
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      follow(spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] }), `${command} ${args.join(" ")}`)
    ),
    (program) =>
      Effect.suspend(() => {
        if (program.hasEnded()) return Effect.void
        program.send("SIGKILL")
        return Effect.asVoid(program.ended)
      })
  )

const follow = (child: ChildProcess, line: string): Program => {
  const said = { stdout: "", stderr: "" }
  const listeners = new Set<() => void>()
  let over: Ended | undefined
  const tell = () => {
    for (const listener of [...listeners]) listener()
  }
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text
      tell()
    })
  }
  child.on("error", (error) => {
    said.stderr += error.message
    over = { code: 127, signal: null }
    tell()
  })
  child.on("close", (code, signal) => {
    over = { code, signal }
    tell()
  })
  const until = <A>(look: () => A | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const listener = () => {
        const found = look()
        if (found === undefined) return
        listeners.delete(listener)
        resume(Effect.succeed(found))
      }
      listeners.add(listener)
      listener()
      return Effect.sync(() => listeners.delete(listener))
    })
  return {
    pid: child.pid ?? 0,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    says: (pattern, timeoutMs = PATIENCE_MS) =>
      until(
        () => pattern.exec(said.stdout) ?? pattern.exec(said.stderr) ?? (over === undefined ? undefined : "over")
      ).pipe(
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed("silent" as const) }),
        Effect.map((found) => {
          if (typeof found !== "string") return found
          throw new Error(`${line}: ${found}, never said ${pattern}:\n${said.stdout}${said.stderr}`)
        })
      ),
    send: (signal) => void child.kill(signal),
    ended: until(() => over),
    hasEnded: () => over !== undefined
  }
}

/** Runs a program to its end. */
export const run = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = yield* startProgram(command, args)
      const { code } = yield* program.ended
      return { code, stdout: program.stdout(), stderr: program.stderr() }
    })
  )
