import { assert, describe, it } from "@effect/vitest"
import { annotationSelectedNode } from "@rollcall/api"
import { Cluster } from "@rollcall/cluster"
import { layerModelledDriver, layerVolumeBinder, standardClass } from "@rollcall/volumes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createClasses } from "../src/up/storage.ts"
import { makeWorld } from "./world.ts"

const classesOf = ({ admin, run }: ReturnType<typeof makeWorld>) =>
  run(admin.list("StorageClass")).items.map(({ metadata }) => metadata.name)

describe("the storage of a live cluster", () => {
  it("has one default class, unless there are other classes", () => {
    const world = makeWorld([])
    world.run(createClasses(world.admin, undefined))
    world.run(createClasses(world.admin, undefined))
    assert.deepStrictEqual(classesOf(world), ["standard"])
    world.close()
    const other = makeWorld([])
    other.run(other.admin.create("StorageClass", { ...standardClass, metadata: { name: "own" } }))
    other.run(createClasses(other.admin, undefined))
    assert.deepStrictEqual(classesOf(other), ["own"])
    other.close()
  })

  it("binds a claim to a disk in the zone of a modelled node", () => {
    const world = makeWorld([{ name: "a", count: 1, zone: "zone-a" }])
    world.start()
    world.pass(5)
    const claim = { namespace: "default", name: "data" }
    world.run(
      Effect.gen(function* () {
        yield* createClasses(world.admin, undefined)
        yield* world.admin.create("PersistentVolumeClaim", {
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
        const bound = yield* world.admin.get("PersistentVolumeClaim", claim)
        const volume = yield* world.admin.get("PersistentVolume", { name: bound.spec?.volumeName ?? "" })
        assert.strictEqual(bound.status?.phase, "Bound")
        assert.include(JSON.stringify(volume.spec?.nodeAffinity), '"zone-a"')
      }).pipe(
        Effect.provide(
          Layer.mergeAll(layerVolumeBinder(), layerModelledDriver()).pipe(
            Layer.provide(Cluster.layerConnection(world.admin.connection))
          )
        )
      )
    )
    world.close()
  })
})
