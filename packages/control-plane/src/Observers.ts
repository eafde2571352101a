import { type NodeControllerObserver, noObserver } from "@rollcall/node-controller"
import { guarded, Timers } from "@rollcall/time"
import type { VolumeObserver } from "@rollcall/volumes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Receives the events of the controllers. */
export type ControllerObserver = NodeControllerObserver & Partial<VolumeObserver>

/**
 * A user's observers, called after the world's own. An error that one throws is logged and counted, and the controller
 * continues. `observersContract` of `@rollcall/control-plane/testing` tests layers of this service.
 */
export class Observers extends Context.Service<Observers, ReadonlyArray<Partial<ControllerObserver>>>()(
  "@rollcall/control-plane/Observers"
) {
  static readonly layer = (...observers: ReadonlyArray<Partial<ControllerObserver>>): Layer.Layer<Observers> =>
    Layer.succeed(Observers, observers)
}

type ObserverMethods = Record<string, ((event: never) => void) | undefined>

/** Combines the world's observer with those of the `Observers` service, which are called after it. */
export const withObservers = (own: ControllerObserver): Effect.Effect<ControllerObserver, never, Timers> =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const others = Option.getOrElse(yield* Effect.serviceOption(Observers), () => [])
    if (others.length === 0) return own
    const methods: ObserverMethods = { ...noObserver, volumeDetached: undefined, ...own }
    const merged = Object.fromEntries(
      Object.entries(methods).map(([name, first]) => [
        name,
        (event: never) => {
          first?.(event)
          for (const other of others as ReadonlyArray<ObserverMethods>) {
            guarded(timers, "observer", () => other[name]?.(event), { method: name })
          }
        }
      ])
    )
    return merged as unknown as ControllerObserver
  })
