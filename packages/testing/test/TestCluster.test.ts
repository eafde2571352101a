import { assert, describe, it } from "@effect/vitest"
import { layerMemory, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import { defineLayers } from "@rollcall/worlds"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { TestCluster } from "../src/index.ts"

describe("TestCluster.layer", () => {
  it.live("is the cluster as a layer, with faults and a clock", () =>
    Effect.gen(function* () {
      const { advance, client, fault, log, now } = yield* TestCluster
      const startedMs = now()
      const crash = yield* fault("crash", { nodes: { names: ["a-0"] } })
      assert.deepStrictEqual(crash.nodes, ["a-0"])
      yield* advance("2 minutes")
      const { spec } = yield* client.get("Node", { name: "a-0" })
      assert.isTrue(spec?.taints?.some(({ key }) => key === "node.kubernetes.io/unreachable"))
      assert.isAtLeast(now() - startedMs, 120_000)
      assert.isAtMost(log().length, 1000)
    }).pipe(Effect.provide(TestCluster.layer({ nodes: 2 })))
  )

  it.live("leaves the test its own time, and runs what asks for it in the cluster's", () =>
    Effect.gen(function* () {
      const ownClock = yield* Clock.Clock
      yield* Effect.gen(function* () {
        const { advance, inClusterTime, now } = yield* TestCluster
        assert.strictEqual(yield* Clock.Clock, ownClock)
        assert.isTrue(Option.isNone(yield* Effect.serviceOption(Timers)))
        const clusterTime = inClusterTime(Effect.map(Timers, (timers) => timers.now()))
        const startedMs = yield* clusterTime
        const woken = yield* Effect.forkChild(inClusterTime(Effect.andThen(Effect.sleep("1 minute"), clusterTime)))
        yield* Effect.yieldNow
        yield* advance("2 minutes")
        assert.isAtLeast((yield* Fiber.join(woken)) - startedMs, 60_000)
        assert.isAtLeast(now() - startedMs, 120_000)
        assert.isBelow((yield* Clock.currentTimeMillis) - startedMs, 120_000)
      }).pipe(Effect.provide(TestCluster.layer({ nodes: 1 })))
    })
  )

  it.live("waits for a fault in the cluster's time, not in the test's", () =>
    Effect.gen(function* () {
      const { fault } = yield* TestCluster
      const sleepless = { ...(yield* Clock.Clock), sleep: () => Effect.die("slept in the test's time") }
      const { end, nodes } = yield* fault("partition").pipe(Effect.provideService(Clock.Clock, sleepless))
      assert.deepStrictEqual(nodes, ["a-0"])
      yield* end
    }).pipe(Effect.provide(TestCluster.layer({ nodes: 1 })))
  )

  it.live("takes layers of the test's own", () => {
    let writes = 0
    const countingStore = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        write: (...args: Parameters<typeof store.write>) => {
          writes++
          store.write(...args)
        }
      }))
    ).pipe(Layer.provide(layerMemory()))
    return Effect.gen(function* () {
      const { client } = yield* TestCluster
      const before = writes
      yield* client.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })
      assert.isAbove(before, 0)
      assert.isAbove(writes, before)
    }).pipe(Effect.provide(TestCluster.layer({ nodes: 1, layers: defineLayers(countingStore) })))
  })
})
