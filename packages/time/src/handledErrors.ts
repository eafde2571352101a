import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/**
 * Takes an error that ends no more than what it was thrown in: a callback, a key of a queue, one pass of a loop. `source` names
 * the place in constant words (`informer handler`), `fields` what it was about. Never throws, except in tests that ask for it.
 * Upstream: apimachinery/pkg/util/runtime, HandleErrorWithContext and HandleCrash.
 */
export type HandleError = (source: string, error: unknown, fields?: Readonly<Record<string, unknown>>) => void

const handled = Metric.counter("rollcall_handled_errors_total", {
  description: "Errors that were thrown where none is expected, and that ended no more than what they were thrown in.",
  incremental: true
})

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)

/** The text of an error for a log, whatever was thrown: an object whose own text cannot be made included. */
export const errorText = (error: unknown): string => {
  try {
    return stackOf(error)
  } catch {
    return "an error without a text"
  }
}

/**
 * Writes errors to the log of the effect that makes it, at level Error, and counts them by source in
 * `rollcall_handled_errors_total`. A log that fails itself is passed over: the count still tells.
 */
export const loggedErrors: Effect.Effect<HandleError> = Effect.map(Effect.context<never>(), (context) => {
  const run = Effect.runSyncExitWith(context)
  return (source, error, fields = {}) => {
    handled.pipe(Metric.withAttributes({ source })).updateUnsafe(1, context)
    run(Effect.logError("Unhandled error").pipe(Effect.annotateLogs({ source, ...fields, err: errorText(error) })))
  }
})

/** Throws the error on: for tests, where an error that nobody expects must not pass. */
export const rethrowErrors: HandleError = (_, error) => {
  throw error
}
