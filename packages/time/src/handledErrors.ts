import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/**
 * Handles an error that ends only the callback, the queue key or the pass of a loop that threw it. `source` names the
 * place in constant words (`informer handler`), `fields` the object in question. Never throws, except in tests that
 * install `rethrowErrors`. Upstream: apimachinery/pkg/util/runtime, HandleErrorWithContext and HandleCrash.
 */
export type HandleError = (source: string, error: unknown, fields?: Readonly<Record<string, unknown>>) => void

const handled = Metric.counter("rollcall_handled_errors_total", {
  description:
    "Unexpected errors that were thrown in a callback, a queue key or a pass of a loop, and that ended only that.",
  incremental: true
})

/** A tagged error is one that the code foresees, such as the answer of a server: where it was made says nothing. */
const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const text = `${error.name}: ${error.message}`
  return "_tag" in error ? text : (error.stack ?? text)
}

/** Returns the text of a thrown value for a log, also for an object whose `toString` throws. */
export const errorText = (error: unknown): string => {
  try {
    return stackOf(error)
  } catch {
    return "an error without a text"
  }
}

/**
 * Writes errors to the log of the effect that makes it, at level Error, and counts them by source in
 * `rollcall_handled_errors_total`. An error of the logger itself is ignored: the count still includes the first error.
 */
export const loggedErrors: Effect.Effect<HandleError> = Effect.map(Effect.context<never>(), (context) => {
  const run = Effect.runSyncExitWith(context)
  return (source, error, fields = {}) => {
    handled.pipe(Metric.withAttributes({ source })).updateUnsafe(1, context)
    run(Effect.logError("Unhandled error").pipe(Effect.annotateLogs({ source, ...fields, err: errorText(error) })))
  }
})

/** Throws the error again: for tests, where an unexpected error must fail the test. */
export const rethrowErrors: HandleError = (_, error) => {
  throw error
}
