import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

/** How much a line matters: as klog's `I` and `E`; debugging lines are those of verbosity 4 and above, and some of 1 to 3. */
export type LogSeverity = "debug" | "info" | "error"

/**
 * Where plain code writes what it has to say, in the words of Kubernetes' component: a constant message, and fields for what
 * varies, among them `err`. Never throws.
 */
export type ComponentLog = (severity: LogSeverity, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** What of a log can be decided before it is written. */
export interface LogLine {
  readonly severity: LogSeverity
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export const noLog: ComponentLog = () => undefined

const levels = { debug: "Debug", info: "Info", error: "Error" } as const

/** Writes to the log of the effect that makes it. A line below its level costs a comparison. */
export const componentLog: Effect.Effect<ComponentLog> = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const minimum = yield* References.MinimumLogLevel
  const run = Effect.runSyncExitWith(context)
  return (severity, message, fields = {}) => {
    if (LogLevel.isLessThan(levels[severity], minimum)) return
    run(Effect.logWithLevel(levels[severity])(message).pipe(Effect.annotateLogs(fields)))
  }
})
