import { assert, describe, it } from "@effect/vitest"
import type { Event, PersistentVolume, PersistentVolumeClaim } from "@rollcall/api"
import { isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { annealedClaim, annealedVolume } from "../src/binder/anneal.ts"
import { reclaimOf } from "../src/binder/reclaim.ts"
import { recyclerPod } from "../src/binder/recyclerPod.ts"
import { claimOf, type VolumesSetup, volumeOf, withVolumeControllers } from "./withVolumeControllers.ts"

const settle = Effect.sleep("1 second")
const gone = { namespace: "default", name: "gone", uid: "gone" }
const recycler = { namespace: "default", name: "recycler-for-v" }

/** A volume of a source and a policy. */
const released = (
  source: Readonly<Record<string, unknown>>,
  persistentVolumeReclaimPolicy: "Delete" | "Recycle" | "Retain" = "Delete",
  annotations: Readonly<Record<string, string>> = {}
): PersistentVolume => {
  const { hostPath: _, ...spec } = volumeOf("v", { persistentVolumeReclaimPolicy, claimRef: gone }).spec ?? {}
  return { ...volumeOf("v"), metadata: { name: "v", annotations }, spec: { ...spec, ...source } }
}

const provisionedBy = (name: string) => ({ "pv.kubernetes.io/provisioned-by": name })
const outcomeOf = (volume: PersistentVolume): string => {
  const step = reclaimOf(volume)
  return step.do === "fail" ? `${step.failure.reason} ${step.failure.message}` : step.do
}

describe("the reclaim policy of a released volume", () => {
  it("Delete fails where no plugin deletes such a volume, and is left to drivers", () => {
    const noPlugin = 'VolumeFailedDelete error getting deleter volume plugin for volume "v":'
    const folder = { hostPath: { path: "/tmp/x" } }
    const outcomes = [
      released(folder),
      released({ hostPath: { path: "/tmp/" } }),
      released({ nfs: { server: "s", path: "/" } }),
      released({ local: { path: "/tmp/x" } }),
      released({ csi: { driver: "d", volumeHandle: "h" } }),
      released(folder, "Delete", provisionedBy("example.com/any")),
      released(folder, "Delete", provisionedBy("kubernetes.io/glusterfs")),
      released({}, "Delete", provisionedBy("kubernetes.io/host-path")),
      released(folder, "Delete", { "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com" }),
      released(folder, "Retain")
    ].map(outcomeOf)
    assert.deepStrictEqual(outcomes, [
      "delete",
      "VolumeFailedDelete host_path deleter only supports /tmp/.+ but received provided /tmp/",
      `${noPlugin} no deletable volume plugin matched`,
      `${noPlugin} no volume plugin matched`,
      "nothing",
      "nothing",
      "VolumeFailedDelete no volume plugin matched name: kubernetes.io/glusterfs",
      'VolumeFailedDelete failed to create deleter for volume "v": spec.PersistentVolumeSource.HostPath is nil',
      "nothing",
      "nothing"
    ])
  })

  it("Recycle runs a pod with the volume for folders and NFS, the longer the larger it is", () => {
    const specOf = (source: Readonly<Record<string, unknown>>, storage = "1Gi") => {
      const { spec } = recyclerPod({ ...released(source), spec: { ...source, capacity: { storage } } }) ?? {}
      return [spec?.activeDeadlineSeconds, spec?.volumes]
    }
    const nfs = { server: "s", path: "/p" }
    assert.deepStrictEqual(specOf({ hostPath: { path: "/d", type: "" } }), [
      60,
      [{ name: "vol", hostPath: { path: "/d" } }]
    ])
    assert.deepStrictEqual(specOf({ nfs }, "10Gi"), [300, [{ name: "vol", nfs }]])
    assert.deepStrictEqual(specOf({ nfs }, "11.9Gi")[0], 330)
    assert.strictEqual(
      outcomeOf(released({ local: { path: "/d" } }, "Recycle")),
      "VolumeFailedRecycle No recycler plugin found for the volume!"
    )
  })
})

/** Creates a volume with its claim, and deletes the claim. */
const release = ({ cluster }: VolumesSetup, policy: "Delete" | "Recycle") =>
  Effect.gen(function* () {
    const hostPath = { path: "/tmp/v" }
    yield* cluster.create("PersistentVolume", volumeOf("v", { persistentVolumeReclaimPolicy: policy, hostPath }))
    yield* settle
    yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
    yield* settle
    yield* cluster.delete("PersistentVolumeClaim", { namespace: "default", name: "data" })
    yield* settle
  })

const endPod = ({ cluster }: VolumesSetup, status: object) =>
  cluster
    .patch("Pod", recycler, "merge", { status }, { subresource: "status" })
    .pipe(Effect.andThen(settle), Effect.andThen(Effect.result(cluster.get("Pod", recycler))))

const pulled: Event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e", namespace: "default" },
  involvedObject: { kind: "Pod", name: recycler.name, namespace: "default" },
  type: "Warning",
  reason: "Slow",
  message: "is slow"
}

describe("the binder", () => {
  it("makes a recycled volume available again, and tells what its pod met", () =>
    withVolumeControllers((setup) =>
      Effect.gen(function* () {
        const { cluster, eventsOf, volume } = setup
        yield* release(setup, "Recycle")
        assert.strictEqual((yield* volume("v")).status?.phase, "Released")
        yield* cluster.create("Event", pulled)
        yield* settle
        const left = yield* endPod(setup, { phase: "Succeeded" })
        assert.isTrue(left._tag === "Failure" && isNotFound(left.failure), "the pod is deleted")
        const { spec, status } = yield* volume("v")
        assert.deepStrictEqual([status?.phase, spec?.claimRef], ["Available", undefined])
        assert.deepStrictEqual(yield* eventsOf("v"), [
          "Warning RecyclerPod Recycler pod: is slow",
          "Normal VolumeRecycled Volume recycled"
        ])
      })
    ))

  it("fails a volume whose pod fails, and recycles it at the next sync", () =>
    withVolumeControllers((setup) =>
      Effect.gen(function* () {
        yield* release(setup, "Recycle")
        yield* endPod(setup, { phase: "Failed", message: "too late" })
        const { status } = yield* setup.volume("v")
        assert.deepStrictEqual(
          [status?.phase, status?.message],
          ["Failed", "Recycle failed: failed to recycle volume: too late"]
        )
        yield* Effect.sleep("16 seconds")
        yield* endPod(setup, { phase: "Succeeded" })
        assert.strictEqual((yield* setup.volume("v")).status?.phase, "Available")
      })
    ))

  it("deletes the volume of a folder below /tmp", () =>
    withVolumeControllers((setup) =>
      Effect.gen(function* () {
        yield* release(setup, "Delete")
        assert.deepStrictEqual(yield* setup.volumes, [])
      })
    ))

  it("annotates what a driver has taken over from a plugin, and guards what a plugin deletes", () => {
    const driver = { "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com" }
    const plugin = provisionedBy("kubernetes.io/aws-ebs")
    const { annotations, finalizers } = annealedVolume({
      ...released({}, "Delete", plugin),
      metadata: { name: "v", annotations: plugin, finalizers: ["kubernetes.io/pv-controller"] }
    }).metadata
    assert.deepStrictEqual([annotations, finalizers], [{ ...plugin, ...driver }, undefined])
    const guarded = annealedVolume(released({}, "Delete", provisionedBy("kubernetes.io/glusterfs")))
    assert.deepStrictEqual(guarded.metadata.finalizers, ["kubernetes.io/pv-controller"])
    const kept: PersistentVolume = { ...guarded, spec: { ...guarded.spec, persistentVolumeReclaimPolicy: "Retain" } }
    assert.strictEqual(annealedVolume(kept).metadata.finalizers, undefined)
    const external = released({}, "Delete", provisionedBy("example.com/any"))
    assert.strictEqual(annealedVolume(external), external)
    const claim: PersistentVolumeClaim = {
      ...claimOf("data"),
      metadata: { name: "data", annotations: { "volume.kubernetes.io/storage-provisioner": "kubernetes.io/aws-ebs" } }
    }
    assert.strictEqual(annealedClaim(claim).metadata.annotations?.["pv.kubernetes.io/migrated-to"], "ebs.csi.aws.com")
  })
})
