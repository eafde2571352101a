import * as Effect from "effect/Effect"

const LOOK_MS = 50
const PATIENCE_MS = 30_000

/** Looks until what it sees is accepted; dies, and tells what it saw last, when that takes too long. */
export const eventually = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  accept: (seen: A) => boolean,
  patienceMs = PATIENCE_MS
): Effect.Effect<A, never, R> => {
  let last: unknown = "nothing"
  return Effect.gen(function* () {
    while (true) {
      const seen = yield* Effect.option(look)
      last = seen
      if (seen._tag === "Some" && accept(seen.value)) return seen.value
      yield* Effect.sleep(LOOK_MS)
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: patienceMs,
      orElse: () => Effect.die(new Error(`${what}: not within ${patienceMs} ms; last seen: ${JSON.stringify(last)}`))
    })
  )
}
