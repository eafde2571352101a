import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { claimOf, classOf, type VolumesSetup, volumeOf, withVolumeControllers } from "./withVolumeControllers.ts"

const settle = Effect.sleep("1 second")

const requestOf = (storage: string) => ({ spec: { resources: { requests: { storage } } } })

const grow = ({ cluster }: VolumesSetup, storage: string) =>
  cluster
    .patch("PersistentVolumeClaim", { namespace: "default", name: "data" }, "merge", requestOf(storage))
    .pipe(Effect.andThen(settle))

const expansionEvents = ({ eventsOf }: VolumesSetup) =>
  Effect.map(eventsOf("data"), (all) => all.filter((text) => /Expanding|Resiz/.test(text)))

describe("a claim that grows", () => {
  it("waits for its driver, which expands the volume", () =>
    withVolumeControllers((setup) =>
      Effect.gen(function* () {
        const { claim, cluster, volume } = setup
        yield* cluster.create("StorageClass", classOf("now", { allowVolumeExpansion: true }))
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "now" }))
        yield* settle
        assert.isEmpty(yield* expansionEvents(setup))
        yield* grow(setup, "8Gi")
        const grown = yield* claim("data")
        assert.strictEqual(grown.status?.capacity?.storage, "8Gi")
        assert.strictEqual((yield* volume(grown.spec?.volumeName ?? "")).spec?.capacity?.storage, "8Gi")
        const name = grown.spec?.volumeName
        assert.sameMembers(yield* expansionEvents(setup), [
          "Normal ExternalExpanding waiting for an external controller to expand this PVC",
          `Normal Resizing External resizer is resizing volume ${name}`,
          "Normal VolumeResizeSuccessful Resize volume succeeded"
        ])
      })
    ))

  it("names the driver that replaced the plugin of its volume", () =>
    withVolumeControllers(
      (setup) =>
        Effect.gen(function* () {
          const { claim, cluster, volume } = setup
          const disk = { awsElasticBlockStore: { volumeID: "vol-1" } } as object
          yield* cluster.create("PersistentVolume", volumeOf("disk", { hostPath: undefined, ...disk } as object))
          yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "", volumeName: "disk" }))
          yield* settle
          assert.strictEqual((yield* claim("data")).status?.phase, "Bound")
          yield* grow(setup, "20Gi")
          assert.strictEqual(
            (yield* claim("data")).metadata.annotations?.["volume.kubernetes.io/storage-resizer"],
            "ebs.csi.aws.com"
          )
          assert.strictEqual((yield* volume("disk")).spec?.capacity?.storage, "10Gi")
          assert.deepStrictEqual(yield* expansionEvents(setup), [
            "Normal ExternalExpanding CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc"
          ])
        }),
      { driver: false }
    ))
})
