import { assert, describe, it } from "@effect/vitest"
import { layerMemory, Store } from "@rollcall/store"
import { defineLayers } from "@rollcall/worlds"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
