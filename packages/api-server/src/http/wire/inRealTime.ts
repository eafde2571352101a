import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const realClock = Context.get(Context.empty(), Clock.Clock)

/** Runs an Effect by Effect's default Clock, even when the cluster's own time runs faster. */
export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, realClock)
