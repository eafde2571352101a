import { assert, describe, it } from "@effect/vitest"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerNodeTtl } from "../../src/index.ts"
import { nextStep, secondsOf } from "../../src/ttl/ttlStep.ts"

const ANNOTATION = "node.alpha.kubernetes.io/ttl"
const nodeOf = (name: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name } }) as const

describe("the ttl of nodes", () => {
  it("rises with the number of nodes, and falls only well below", () => {
    const seconds: Array<number> = []
    let step = 0
    for (const nodes of [1, 100, 101, 95, 90, 89, 5000, 1800, 1799, 449, 0]) {
      step = nextStep(step, nodes)
      seconds.push(secondsOf(step))
    }
    assert.deepStrictEqual(seconds, [0, 0, 15, 15, 15, 0, 300, 300, 60, 15, 0])
  })

  it("is an annotation, which reaches old nodes with their next change", () =>
    runWithApiServer(
      (admin) => {
        const cluster = fromConnection(admin)
        const ttlOf = (name: string) =>
          Effect.map(cluster.get("Node", { name }), ({ metadata }) => metadata.annotations?.[ANNOTATION])
        return Effect.gen(function* () {
          yield* cluster.create("Node", nodeOf("first"))
          yield* Effect.sleep("1 second")
          assert.strictEqual(yield* ttlOf("first"), "0")
          for (let index = 0; index < 100; index++) yield* cluster.create("Node", nodeOf(`n${index}`))
          yield* Effect.sleep("10 seconds")
          assert.strictEqual(yield* ttlOf("n99"), "15")
          assert.strictEqual(yield* ttlOf("first"), "0")
          yield* cluster.patch("Node", { name: "first" }, "merge", { metadata: { labels: { a: "b" } } })
          yield* Effect.sleep("1 second")
          assert.strictEqual(yield* ttlOf("first"), "15")
        }).pipe(Effect.provide(layerNodeTtl.pipe(Layer.provide(Cluster.layerConnection(admin)))))
      },
      { seed: "ttl" }
    ))
})
