import { assert, describe, it } from "@effect/vitest"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type Connection, cancellable } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { GarbageCollector } from "../../src/garbage/GarbageCollector.ts"
import { configMapNames, createConfigMap, deleteConfigMap, waitForCollector } from "./runWithCollector.ts"

/** Records the names of the ConfigMaps that are read. */
const recordingReads =
  (names: Array<string>) =>
  (connection: Connection): Connection => ({
    ...connection,
    send: cancellable((request, reply) => {
      if (request.verb === "get" && request.kind === "ConfigMap") names.push(request.name)
      connection.send(request, reply)
    })
  })

describe("a garbage collector that saw an owner's deletion", () => {
  it("reads the dependents, and not the owner that it knows to be absent", () => {
    const read: Array<string> = []
    const left = runWithApiServer((admin) =>
      Effect.gen(function* () {
        yield* Effect.flatMap(GarbageCollector, ({ synced }) => synced)
        const owner = yield* createConfigMap("owner")
        yield* createConfigMap("child", [owner])
        yield* createConfigMap("sibling", [owner])
        yield* waitForCollector
        yield* deleteConfigMap("owner")
        yield* waitForCollector
        return yield* configMapNames
      }).pipe(
        Effect.provide(GarbageCollector.layer()),
        Effect.provide(Cluster.layerConnection(recordingReads(read)(admin)))
      )
    )
    assert.deepStrictEqual(left, [])
    assert.deepStrictEqual(read.toSorted(), ["child", "sibling"])
  })
})
