import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

/**
 * The severity of a log line: info and error are klog's `I` and `E`; debug lines are those that upstream writes only with
 * a verbosity of 4 or more, and some of 1 to 3.
 */
export type LogSeverity = "debug" | "info" | "error"

/**
 * Writes a log line of plain code, in the words of Kubernetes' component: a constant message, and fields for the
 * variable parts, among them `err`. Never throws.
 */
export type ComponentLog = (severity: LogSeverity, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** A log line as a value, for code that decides what to log without writing it. */
export interface LogLine {
  readonly severity: LogSeverity
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export const noLog: ComponentLog = () => undefined

const levels = { debug: "Debug", info: "Info", error: "Error" } as const

/** Writes to the log of the effect that makes it. A line below the minimum level costs one comparison. */
export const componentLog: Effect.Effect<ComponentLog> = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const minimum = yield* References.MinimumLogLevel
  const run = Effect.runSyncExitWith(context)
  return (severity, message, fields = {}) => {
    if (LogLevel.isLessThan(levels[severity], minimum)) return
    run(Effect.logWithLevel(levels[severity])(message).pipe(Effect.annotateLogs(fields)))
  }
})
