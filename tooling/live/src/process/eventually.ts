import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const LOOK_MS = 50
const PATIENCE_MS = 30_000
const LONGEST = 2000

/** Repeats an effect until its value is accepted; dies with the last value after a timeout. */
export const eventually = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  accept: (seen: A) => boolean,
  patienceMs = PATIENCE_MS
): Effect.Effect<A, never, R> => {
  let last = "nothing"
  return Effect.gen(function* () {
    while (true) {
      const seen = yield* Effect.result(look)
      if (Result.isSuccess(seen) && accept(seen.success)) return seen.success
      last = JSON.stringify(Result.merge(seen))
      yield* Effect.sleep(LOOK_MS)
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: patienceMs,
      orElse: () => Effect.die(new Error(`${what}: not within ${patienceMs} ms; last seen: ${last.slice(0, LONGEST)}`))
    })
  )
}
