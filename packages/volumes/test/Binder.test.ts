import { assert, describe, it } from "@effect/vitest"
import { annotationBindCompleted, annotationBoundByController } from "@rollcall/api"
import { isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { claimOf, classOf, volumeOf, withVolumeControllers } from "./withVolumeControllers.ts"

const inDefault = { namespace: "default" }
const settle = Effect.sleep("1 second")
const binderResync = Effect.sleep("16 seconds")

describe("the binder", () => {
  it("binds a claim to the smallest sufficient volume, on both sides", () =>
    withVolumeControllers(({ claim, cluster, volume }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolume", volumeOf("large", { capacity: { storage: "50Gi" } }))
        yield* cluster.create("PersistentVolume", volumeOf("fits"))
        yield* cluster.create("PersistentVolume", volumeOf("small", { capacity: { storage: "1Gi" } }))
        yield* settle
        yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
        yield* settle
        const bound = yield* claim("data")
        assert.strictEqual(bound.spec?.volumeName, "fits")
        assert.deepStrictEqual(bound.status, {
          phase: "Bound",
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "10Gi" }
        })
        assert.strictEqual(bound.metadata.annotations?.[annotationBindCompleted], "yes")
        assert.strictEqual(bound.metadata.annotations?.[annotationBoundByController], "yes")
        const taken = yield* volume("fits")
        assert.strictEqual(taken.status?.phase, "Bound")
        assert.strictEqual(taken.status?.lastPhaseTransitionTime, "2026-01-01T00:00:01Z")
        assert.strictEqual(taken.spec?.claimRef?.uid, bound.metadata.uid)
        assert.strictEqual((yield* volume("large")).status?.phase, "Available")
      })
    ))

  it("records that a claim finds no volume, and binds it at the next resync", () =>
    withVolumeControllers(({ claim, cluster, eventsOf }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
        yield* settle
        assert.deepStrictEqual(yield* eventsOf("data"), [
          "Normal FailedBinding no persistent volumes available for this claim and no storage class is set"
        ])
        yield* cluster.create("PersistentVolume", volumeOf("late"))
        yield* settle
        assert.strictEqual((yield* claim("data")).status?.phase, "Pending")
        yield* binderResync
        assert.strictEqual((yield* claim("data")).status?.phase, "Bound")
      })
    ))

  it("reserves a pre-bound volume for its claim, and records why others cannot have it", () =>
    withVolumeControllers(({ claim, cluster, eventsOf, volume }) =>
      Effect.gen(function* () {
        const claimRef = { namespace: "default", name: "mine" }
        yield* cluster.create("PersistentVolume", volumeOf("kept", { claimRef }))
        yield* settle
        yield* cluster.create("PersistentVolumeClaim", claimOf("theirs", { volumeName: "kept" }))
        yield* settle
        assert.strictEqual((yield* volume("kept")).status?.phase, "Available")
        assert.deepStrictEqual(yield* eventsOf("theirs"), [
          'Warning FailedBinding volume "kept" already bound to a different claim.'
        ])
        yield* cluster.create("PersistentVolumeClaim", claimOf("mine"))
        yield* settle
        assert.strictEqual((yield* claim("mine")).spec?.volumeName, "kept")
        assert.isUndefined((yield* volume("kept")).metadata.annotations)
      })
    ))

  it("records why the volume that a claim requests does not match", () =>
    withVolumeControllers(({ cluster, eventsOf }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolume", volumeOf("v", { capacity: { storage: "1Gi" } }))
        yield* settle
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { volumeName: "v" }))
        yield* settle
        assert.deepStrictEqual(yield* eventsOf("data"), [
          'Warning VolumeMismatch Cannot bind to requested volume "v": requested PV is too small'
        ])
      })
    ))

  it("marks a claim whose volume was deleted Lost, permanently", () =>
    withVolumeControllers(
      ({ claim, cluster, eventsOf }) =>
        Effect.gen(function* () {
          yield* cluster.create("PersistentVolume", volumeOf("v"))
          yield* settle
          yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
          yield* settle
          yield* cluster.delete("PersistentVolume", { name: "v" })
          yield* settle
          assert.strictEqual((yield* claim("data")).status?.phase, "Lost")
          assert.deepStrictEqual(yield* eventsOf("data"), [
            "Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!"
          ])
        }),
      { protection: false }
    ))

  it("releases a volume whose claim was deleted, and binds it to no other claim", () =>
    withVolumeControllers(({ claim, cluster, volume }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolume", volumeOf("v"))
        yield* settle
        yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
        yield* settle
        yield* cluster.delete("PersistentVolumeClaim", { ...inDefault, name: "data" })
        yield* settle
        assert.strictEqual((yield* volume("v")).status?.phase, "Released")
        yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
        yield* binderResync
        assert.strictEqual((yield* claim("data")).status?.phase, "Pending")
      })
    ))

  it("gives claims without a class the newest default, also older claims", () =>
    withVolumeControllers(({ claim, cluster }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
        yield* cluster.create("PersistentVolumeClaim", claimOf("none", { storageClassName: "" }))
        yield* settle
        const metadata = (name: string) => ({
          name,
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" }
        })
        yield* cluster.create("StorageClass", classOf("old", { metadata: metadata("old") }))
        yield* settle
        yield* cluster.create("StorageClass", classOf("new", { metadata: metadata("new") }))
        yield* binderResync
        assert.strictEqual((yield* claim("data")).spec?.storageClassName, "new")
        assert.strictEqual((yield* claim("none")).spec?.storageClassName, "")
      })
    ))

  it("records a missing class, and a class without a provisioner", () =>
    withVolumeControllers(({ cluster, eventsOf }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", classOf("local", { provisioner: "kubernetes.io/no-provisioner" }))
        yield* cluster.create("PersistentVolumeClaim", claimOf("a", { storageClassName: "fast" }))
        yield* cluster.create("PersistentVolumeClaim", claimOf("b", { storageClassName: "local" }))
        yield* settle
        assert.deepStrictEqual(yield* eventsOf("a"), [
          'Warning ProvisioningFailed storageclass.storage.k8s.io "fast" not found'
        ])
        assert.deepStrictEqual(yield* eventsOf("b"), [
          "Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner"
        ])
      })
    ))
})

describe("protection", () => {
  it("keeps a class of attributes until no claim names it", () =>
    withVolumeControllers(({ cluster }) =>
      Effect.gen(function* () {
        const found = cluster
          .get("VolumeAttributesClass", { name: "fast" })
          .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        yield* cluster.create("VolumeAttributesClass", {
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttributesClass",
          metadata: { name: "fast" },
          driverName: "e.io",
          parameters: { a: "b" }
        })
        const claim = claimOf("data")
        yield* cluster.create("PersistentVolumeClaim", {
          ...claim,
          spec: { ...claim.spec, volumeAttributesClassName: "fast" }
        })
        yield* settle
        assert.deepStrictEqual((yield* found)?.metadata.finalizers, ["kubernetes.io/vac-protection"])
        yield* cluster.delete("VolumeAttributesClass", { name: "fast" })
        yield* settle
        assert.isDefined((yield* found)?.metadata.deletionTimestamp)
        yield* cluster.delete("PersistentVolumeClaim", { ...inDefault, name: "data" })
        yield* settle
        assert.isUndefined(yield* found)
      })
    ))

  it("keeps a volume until no claim is bound to it", () =>
    withVolumeControllers(({ cluster, volume }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolume", volumeOf("v"))
        yield* settle
        yield* cluster.create("PersistentVolumeClaim", claimOf("data"))
        yield* settle
        yield* cluster.delete("PersistentVolume", { name: "v" })
        yield* settle
        assert.isDefined((yield* volume("v")).metadata.deletionTimestamp)
        yield* cluster.delete("PersistentVolumeClaim", { ...inDefault, name: "data" })
        yield* settle
        const left = yield* volume("v").pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        assert.isUndefined(left)
      })
    ))
})
