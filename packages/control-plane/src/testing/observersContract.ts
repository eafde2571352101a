import { assert, describe } from "@effect/vitest"
import { frozen } from "@rollcall/cluster/testing"
import type { Timers } from "@rollcall/time"
import { itInVirtualTime } from "@rollcall/time/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ControllerObserver, Observers } from "../Observers.ts"

const eviction = { namespace: "default", pod: "a", node: "node-1", dueMs: 1_767_225_900_000 }
const cidrs = { node: "node-1", cidrs: ["10.244.1.0/24"] }

/** One example of each event, as a controller reports it. */
const events: { readonly [Name in keyof ControllerObserver]-?: Parameters<NonNullable<ControllerObserver[Name]>>[0] } =
  {
    zoneCreated: "region:\u0000:zone",
    zoneStateChanged: { zoneKey: "region:\u0000:zone", from: "Normal", to: "FullDisruption" },
    zoneRateChanged: { zoneKey: "region:\u0000:zone", nodesPerSecond: 0 },
    allZonesDown: true,
    passEnded: { startedMs: 1_767_225_600_000, endedMs: 1_767_225_600_010, nodes: 3 },
    evictionScheduled: eviction,
    evictionCancelled: eviction,
    podCollected: { namespace: "default", pod: "a", reason: "Orphaned" },
    cidrsAssigned: cidrs,
    cidrsReleased: cidrs,
    volumeDetached: { node: "node-1", volume: "pv-1", forced: false }
  }

/**
 * Registers the tests that every layer of the Observers port must pass, in a vitest file. They run in virtual time; the
 * layer is built for each test.
 */
export const observersContract = <E>(name: string, layer: Layer.Layer<Observers, E, Timers>): void => {
  const withObservers = (title: string, body: (observers: Observers["Service"]) => void) =>
    itInVirtualTime(title, Effect.map(Observers, body).pipe(Effect.provide(Layer.fresh(layer))))

  describe(`${name}: an observer`, () => {
    withObservers("has only methods that a controller calls", (observers) => {
      for (const observer of observers)
        for (const method of Object.keys(observer)) assert.containsAllKeys(events, [method])
    })

    for (const [method, event] of Object.entries(events)) {
      withObservers(
        `${method}: handles the event synchronously, without changing it, any number of times`,
        (observers) => {
          for (const observer of observers) {
            const call = (observer as Record<string, ((event: unknown) => unknown) | undefined>)[method]
            for (const _ of [1, 2, 3]) {
              const returned = call?.(frozen(event))
              assert.isUndefined(returned, "observers return nothing: a returned promise or Effect would be ignored")
            }
          }
        }
      )
    }
  })
}
