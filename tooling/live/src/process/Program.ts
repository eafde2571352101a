import { type ChildProcess, spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How a program ended: with an exit code, or by a signal. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A child process. The scope in which it was started kills it. */
export interface Program {
  readonly pid: number
  /** Returns all that it has written to its standard output. */
  readonly stdout: () => string
  /** Returns all that it has written to its standard error. */
  readonly stderr: () => string
  /**
   * Waits until its output on either stream matches. Dies if the process ends without a match, or after the timeout.
   */
  readonly waitForOutput: (pattern: RegExp, timeoutMs?: number) => Effect.Effect<RegExpExecArray>
  readonly send: (signal: NodeJS.Signals) => void
  /** Waits for its end. */
  readonly ended: Effect.Effect<Ended>
  readonly hasEnded: () => boolean
}

const OUTPUT_TIMEOUT_MS = 60_000

/** Starts a program; closing the scope kills it. */
export const startProgram = (
  command: string,
  args: ReadonlyArray<string>
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      observeProcess(spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] }), `${command} ${args.join(" ")}`)
    ),
    (program) =>
      Effect.suspend(() => {
        if (program.hasEnded()) return Effect.void
        program.send("SIGKILL")
        return Effect.asVoid(program.ended)
      })
  )

/** Collects the output and the end of a child process. `commandLine` names it in errors. */
const observeProcess = (child: ChildProcess, commandLine: string): Program => {
  const output = { stdout: "", stderr: "" }
  const listeners = new Set<() => void>()
  let exit: Ended | undefined
  const notifyListeners = () => {
    for (const listener of [...listeners]) listener()
  }
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text
      notifyListeners()
    })
  }
  child.on("error", (error) => {
    // The program could not be started. 127 is a shell's exit code for a command that is not found.
    output.stderr += error.message
    exit = { code: 127, signal: null }
    notifyListeners()
  })
  child.on("close", (code, signal) => {
    exit = { code, signal }
    notifyListeners()
  })
  const waitFor = <A>(result: () => A | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const listener = () => {
        const found = result()
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
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    waitForOutput: (pattern, timeoutMs = OUTPUT_TIMEOUT_MS) =>
      waitFor(
        () => pattern.exec(output.stdout) ?? pattern.exec(output.stderr) ?? (exit === undefined ? undefined : "over")
      ).pipe(
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed("silent" as const) }),
        Effect.map((found) => {
          if (typeof found !== "string") return found
          throw new Error(`${commandLine}: ${found}, never said ${pattern}:\n${output.stdout}${output.stderr}`)
        })
      ),
    send: (signal) => void child.kill(signal),
    ended: waitFor(() => exit),
    hasEnded: () => exit !== undefined
  }
}

/** Runs a program and waits for its end. Returns its exit code, which is null if a signal ended it, and its output. */
export const run = (command: string, ...args: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = yield* startProgram(command, args)
      const { code } = yield* program.ended
      return { code, stdout: program.stdout(), stderr: program.stderr() }
    })
  )
