import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Timers } from "./Timers.ts"
import { makeVirtualTime, type VirtualTime, type VirtualTimeOptions } from "./VirtualTime.ts"

/** The virtual time of one run. It advances only when its owner advances it. */
export class VirtualClock extends Context.Service<VirtualClock, VirtualTime>()("@rollcall/time/VirtualClock") {
  /** Virtual time that starts at `startMs` (milliseconds since the epoch). */
  static readonly layer = (startMs: number, options?: VirtualTimeOptions): Layer.Layer<VirtualClock> =>
    Layer.sync(VirtualClock, () => makeVirtualTime(startMs, options))

  /**
   * Builds and closes a layer in virtual time: its fibers, sleeps and finalizers run on that clock. Building is
   * synchronous; it dies if nothing is left to run and the layer is not complete.
   */
  static readonly inside = <A, E, R>(
    layer: Layer.Layer<A, E, R>
  ): Layer.Layer<A, E, VirtualClock | Exclude<R, Timers>> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const time = yield* VirtualClock
        const outer = yield* Effect.context<Exclude<R, Timers>>()
        const services = Context.merge(outer, time.context) as Context.Context<R>
        const scope = yield* Effect.acquireRelease(Scope.make(), (opened) =>
          Effect.suspend(() => time.run(Effect.provideContext(Scope.close(opened, Exit.void), services)))
        )
        return yield* Effect.suspend(() =>
          time.run(Effect.provideContext(Layer.buildWithScope(layer, scope), services))
        )
      })
    )
}
