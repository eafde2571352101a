import { assert, describe, it } from "@effect/vitest"
import { annotationSelectedNode } from "@rollcall/api"
import { Cluster } from "@rollcall/cluster"
import { layerModelledDriver, layerVolumeBinder, standardClass } from "@rollcall/volumes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createClasses } from "../src/up/storage.ts"
import { makeTestFleet } from "./testFleet.ts"

const classesOf = ({ admin, run }: ReturnType<typeof makeTestFleet>) =>
  run(admin.list("StorageClass")).items.map(({ metadata }) => metadata.name)

describe("the storage of a live cluster", () => {
  it("has one default class, unless there are other classes", () => {
    const testFleet = makeTestFleet([])
    testFleet.run(createClasses(testFleet.admin, undefined))
    testFleet.run(createClasses(testFleet.admin, undefined))
    assert.deepStrictEqual(classesOf(testFleet), ["standard"])
    testFleet.close()
    const other = makeTestFleet([])
    other.run(other.admin.create("StorageClass", { ...standardClass, metadata: { name: "own" } }))
    other.run(createClasses(other.admin, undefined))
    assert.deepStrictEqual(classesOf(other), ["own"])
    other.close()
  })

  it("binds a claim to a disk in the zone of a modelled node", () => {
    const testFleet = makeTestFleet([{ name: "a", count: 1, zone: "zone-a" }])
    testFleet.start()
    testFleet.pass(5)
    const claim = { namespace: "default", name: "data" }
    testFleet.run(
      Effect.gen(function* () {
        yield* createClasses(testFleet.admin, undefined)
        yield* testFleet.admin.create("PersistentVolumeClaim", {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { ...claim, annotations: { [annotationSelectedNode]: "a-0" } },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
            storageClassName: "standard"
          }
        })
        yield* Effect.sleep("2 seconds")
        const bound = yield* testFleet.admin.get("PersistentVolumeClaim", claim)
        const volume = yield* testFleet.admin.get("PersistentVolume", { name: bound.spec?.volumeName ?? "" })
        assert.strictEqual(bound.status?.phase, "Bound")
        assert.include(JSON.stringify(volume.spec?.nodeAffinity), '"zone-a"')
      }).pipe(
        Effect.provide(
          Layer.mergeAll(layerVolumeBinder(), layerModelledDriver()).pipe(
            Layer.provide(Cluster.layerConnection(testFleet.admin.connection))
          )
        )
      )
    )
    testFleet.close()
  })
})
