import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import type { CommandStep } from "./Case.ts"

/** A command that has ended. */
export interface CommandResult {
  /** The exit code; null if the command was killed. */
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The folder, environment and input of a command. */
export interface Place {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** The options of a command, which `CommandStep` describes. */
export interface CommandOptions extends Pick<CommandStep, "stdin" | "stop_after" | "silent_start" | "during"> {
  readonly timeoutSeconds?: number
}

interface RunningCommand {
  readonly ended: Effect.Effect<CommandResult>
  readonly hasEnded: () => boolean
  readonly hasPrinted: () => boolean
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
}

/** How long a command may run if its step has no timeout. */
const DEFAULT_TIMEOUT_SECONDS = 90
/** How often, each 50 ms, the runner looks for the first output of a command. */
const OUTPUT_CHECKS = 200

const start = (argv: ReadonlyArray<string>, { environment, folder }: Place, stdin = "") =>
  Effect.acquireRelease(
    Effect.sync((): RunningCommand => {
      const [command = "", ...args] = argv
      const child = spawn(command, args, { cwd: folder, env: environment })
      const out: Array<Buffer> = []
      const err: Array<Buffer> = []
      let ran: CommandResult | undefined
      const waiting: Array<(ran: CommandResult) => void> = []
      const settle = (exit: number | null, more = "") => {
        if (ran !== undefined) return
        ran = { exit, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") + more }
        for (const notify of waiting) notify(ran)
      }
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
      // A command that exits without reading its input has not failed.
      child.stdin.on("error", () => {})
      child.stdin.end(stdin)
      child.on("error", (cause) => settle(-1, `${cause.message}\n`))
      child.on("close", (code) => settle(code))
      return {
        ended: Effect.callback((resume) => {
          if (ran !== undefined) return resume(Effect.succeed(ran))
          waiting.push((value) => resume(Effect.succeed(value)))
        }),
        hasEnded: () => ran !== undefined,
        hasPrinted: () => out.length > 0,
        kill: (signal) => Effect.sync(() => void child.kill(signal))
      }
    }),
    (running) => (running.hasEnded() ? Effect.void : Effect.andThen(running.kill("SIGKILL"), running.ended))
  )

/**
 * Runs a command to its end. A command with `stop_after` is stopped when it has printed something, the `during` commands have run, and the
 * time has passed.
 */
export const runCommand = (
  argv: ReadonlyArray<string>,
  place: Place,
  options: CommandOptions = {}
): Effect.Effect<CommandResult> =>
  Effect.gen(function* () {
    const running = yield* start(argv, place, options.stdin)
    if (options.stop_after === undefined) {
      return yield* running.ended.pipe(
        Effect.timeoutOrElse({
          duration: `${options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS} seconds`,
          orElse: () =>
            running.kill("SIGKILL").pipe(
              Effect.andThen(running.ended),
              Effect.map((ran) => ({ ...ran, stderr: `${ran.stderr}\n(killed: it ran too long)\n` }))
            )
        })
      )
    }
    if (options.silent_start !== true) {
      for (let waited = 0; waited < OUTPUT_CHECKS && !running.hasPrinted() && !running.hasEnded(); waited++) {
        yield* Effect.sleep("50 millis")
      }
    }
    yield* Effect.sleep("500 millis")
    for (const concurrent of options.during ?? []) {
      yield* runCommand(concurrent, place)
      yield* Effect.sleep("250 millis")
    }
    yield* Effect.sleep(`${options.stop_after} seconds`)
    yield* running.kill("SIGTERM")
    const ran = yield* running.ended.pipe(
      Effect.timeoutOrElse({
        duration: "5 seconds",
        orElse: () => Effect.andThen(running.kill("SIGKILL"), running.ended)
      })
    )
    return { ...ran, exit: null }
  }).pipe(Effect.scoped)
