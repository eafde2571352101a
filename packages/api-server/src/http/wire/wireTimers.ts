import { layerWallClock, Timers, type TimersShape } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/**
 * Timers for sockets: those of Effect's default Clock, even when the cluster's own time runs faster. A client's network
 * does not speed up with the cluster.
 */
export const makeWireTimers: Effect.Effect<TimersShape, never, Scope.Scope> = Layer.build(layerWallClock()).pipe(
  Effect.map((context) => Context.get(context, Timers)),
  Effect.provideService(Clock.Clock, Context.get(Context.empty(), Clock.Clock))
)
