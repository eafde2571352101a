import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { newRevision } from "../../src/history/revisions.ts"
import {
  createConfigMap,
  deleteConfigMap,
  getConfigMap,
  ownerReferenceTo,
  runWithCollector,
  waitForCollector
} from "./runWithCollector.ts"

describe("a revision of an owner that is deleted with Orphan", () => {
  it("loses its owner, whatever its template contains", () => {
    const left = runWithCollector(
      Effect.gen(function* () {
        const api = yield* Cluster
        const owner = yield* createConfigMap("owner")
        const template = {
          spec: { containers: [{ name: "c", image: "i", command: ["sh", "-c", "a && b > /c"] }] },
          metadata: { labels: { z: "1", a: "2" } }
        }
        const request = { owner, template, selector: {}, hashLabel: "hash", collisionCount: 0 }
        const revision = newRevision(request, 1)
        const ownerReferences = [ownerReferenceTo("ConfigMap", "owner", owner.metadata.uid)]
        yield* api.create("ControllerRevision", { ...revision, metadata: { ...revision.metadata, ownerReferences } })
        yield* waitForCollector
        yield* deleteConfigMap("owner", "Orphan")
        yield* waitForCollector
        const isGone = yield* Effect.isFailure(getConfigMap("owner"))
        const { items } = yield* api.list("ControllerRevision")
        return [isGone, ...items.map(({ metadata }) => metadata.ownerReferences ?? [])]
      }),
      { managedFields: true }
    )
    assert.deepStrictEqual(left, [true, []])
  })
})
