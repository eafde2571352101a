import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const POLL_INTERVAL_MS = 50
const DEFAULT_TIMEOUT_MS = 30_000
const MAX_VALUE_LENGTH = 2000

/**
 * Repeats `observe` until `accept` returns true, and returns the accepted value. A failure of `observe` is not
 * accepted. Dies after the timeout, with the description and the last value or failure.
 */
export const eventually = <A, E, R>(
  description: string,
  observe: Effect.Effect<A, E, R>,
  accept: (observed: A) => boolean,
  timeoutMs = DEFAULT_TIMEOUT_MS
): Effect.Effect<A, never, R> => {
  let last = "nothing"
  return Effect.gen(function* () {
    while (true) {
      const observed = yield* Effect.result(observe)
      if (Result.isSuccess(observed) && accept(observed.success)) return observed.success
      last = JSON.stringify(Result.merge(observed))
      yield* Effect.sleep(POLL_INTERVAL_MS)
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.die(
          new Error(`${description}: not within ${timeoutMs} ms; last seen: ${last.slice(0, MAX_VALUE_LENGTH)}`)
        )
    })
  )
}
