import { type NodeControllerObserver, noObserver } from "@rollcall/node-controller"
import { guarded, Timers } from "@rollcall/time"
import type { VolumeObserver } from "@rollcall/volumes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Watches the controllers at work. */
export type ControllerObserver = NodeControllerObserver & Partial<VolumeObserver>

/**
 * Observers of one's own, told after the world's. What one throws is logged and counted, and the controller goes on. Layers of it are
 * proved by `observersContract` of `@rollcall/control-plane/testing`.
 */
export class Observers extends Context.Service<Observers, ReadonlyArray<Partial<ControllerObserver>>>()(
  "@rollcall/control-plane/Observers"
) {
  static readonly layer = (...observers: ReadonlyArray<Partial<ControllerObserver>>): Layer.Layer<Observers> =>
    Layer.succeed(Observers, observers)
}

type Told = Record<string, ((news: never) => void) | undefined>

/** The world's observer, and after it those at hand. */
export const withObservers = (own: ControllerObserver): Effect.Effect<ControllerObserver, never, Timers> =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const others = Option.getOrElse(yield* Effect.serviceOption(Observers), () => [])
    if (others.length === 0) return own
    const told: Told = { ...noObserver, volumeDetached: undefined, ...own }
    const merged = Object.fromEntries(
      Object.entries(told).map(([name, first]) => [
        name,
        (news: never) => {
          first?.(news)
          for (const other of others as ReadonlyArray<Told>) {
            guarded(timers, "observer", () => other[name]?.(news), { told: name })
          }
        }
      ])
    )
    return merged as unknown as ControllerObserver
  })
