import { assert, describe, it } from "@effect/vitest"
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "@rollcall/api"
import { runWithApiServer } from "@rollcall/api-server/testing"
import { Cluster, type ClusterError, type ClusterShape, fromConnection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { attachmentName } from "../src/attach/volumeNames.ts"
import { CurrentVolumeObserver, type DetachSettings, layerAttachDetach } from "../src/index.ts"

const UNIQUE = "kubernetes.io/csi/csi.example.com^h1"

const node = (name: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" } }
})

const volume = (mode: "ReadWriteOnce" | "ReadWriteMany"): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "v1" },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: [mode],
    persistentVolumeReclaimPolicy: "Retain",
    claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "data" },
    csi: { driver: "csi.example.com", volumeHandle: "h1" }
  }
})

const claim: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "v1" }
}

const podWithClaim = (name: string, nodeName: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    nodeName,
    containers: [{ name: "c", image: "i" }],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
  }
})

interface AttachDetachSetup {
  readonly cluster: ClusterShape
  readonly detached: ReadonlyArray<{ readonly node: string; readonly volume: string; readonly forced: boolean }>
  /** Names of the nodes that the volume is attached to. */
  readonly attachedTo: Effect.Effect<ReadonlyArray<string>, ClusterError>
  /** Sets what the node's kubelet reports: its Ready condition, and its mounted volumes. */
  readonly says: (node: string, ready: boolean, inUse: ReadonlyArray<string>) => Effect.Effect<unknown, ClusterError>
  readonly force: (pod: string) => Effect.Effect<unknown, ClusterError>
}

const oneSecond = Effect.sleep("1 second")

/** A cluster with two nodes, the volume, and a pod on the first; attachments are carried out at once. */
const withAttachDetachController = (
  test: (setup: AttachDetachSetup) => Effect.Effect<void, ClusterError, Scope.Scope | Timers>,
  mode: "ReadWriteOnce" | "ReadWriteMany" = "ReadWriteOnce",
  settings: Partial<DetachSettings> = {}
): void =>
  runWithApiServer(
    Effect.fnUntraced(function* (connection) {
      const detached: Array<AttachDetachSetup["detached"][number]> = []
      const cluster = fromConnection(connection)
      const attachments = Effect.map(cluster.list("VolumeAttachment"), ({ items }) => items)
      connection.watch(
        { verb: "watch", kind: "VolumeAttachment" },
        {
          events: (batch) => {
            for (const { object, type } of batch) {
              if (type !== "ADDED") continue
              const { name = "" } = object.metadata
              const patch = { status: { attached: true } }
              const request = {
                verb: "patch",
                kind: "VolumeAttachment",
                name,
                patchType: "merge",
                body: patch
              } as const
              connection.send({ ...request, subresource: "status" }, () => {})
            }
          },
          end: () => {}
        }
      )
      const setup: AttachDetachSetup = {
        cluster,
        detached,
        attachedTo: Effect.map(attachments, (items) => items.map(({ spec }) => spec.nodeName).sort()),
        says: (name, ready, volumesInUse) => {
          const conditions = [{ type: "Ready", status: ready ? "True" : "Unknown" }]
          return cluster.patch(
            "Node",
            { name },
            "merge",
            { status: { conditions, volumesInUse } },
            { subresource: "status" }
          )
        },
        force: (name) => cluster.delete("Pod", { namespace: "default", name }, { gracePeriodSeconds: 0 })
      }
      yield* cluster.create("Node", node("n1"))
      yield* cluster.create("Node", node("n2"))
      yield* cluster.create("PersistentVolume", volume(mode))
      yield* cluster.create("PersistentVolumeClaim", claim)
      yield* cluster.create("Pod", podWithClaim("p1", "n1"))
      const observer = Layer.succeed(CurrentVolumeObserver, { volumeDetached: (one) => void detached.push(one) })
      const controller = layerAttachDetach(settings).pipe(
        Layer.provide(Cluster.layerConnection(connection)),
        Layer.provide(observer)
      )
      return yield* Effect.andThen(oneSecond, test(setup)).pipe(Effect.provide(controller))
    }),
    { seed: "volumes" }
  )

describe("attachment of volumes", () => {
  it("names attachments as the CSI attacher does", () => {
    const name = attachmentName({ name: "v", driver: "d", handle: "h", uniqueName: "", shared: false }, "n")
    // The SHA-256 of handle, driver and node, concatenated.
    assert.strictEqual(name, "csi-9072ed11cc1acb5fa433a877ff339b6311d013f33bddd1d0092711a8ace5b16d")
  })

  it("attaches a volume to the node of its pod, updates the node's status, and detaches it when it is unmounted", () =>
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* setup.attachedTo, ["n1"])
        const attached = yield* setup.cluster.get("Node", { name: "n1" })
        assert.deepStrictEqual(attached.status?.volumesAttached, [{ name: UNIQUE, devicePath: "" }])
        yield* setup.says("n1", true, [UNIQUE])
        yield* setup.force("p1")
        yield* Effect.sleep("5 minutes")
        assert.deepStrictEqual(yield* setup.attachedTo, ["n1"])
        yield* setup.says("n1", true, [])
        yield* oneSecond
        assert.deepStrictEqual(yield* setup.attachedTo, [])
        const freed = yield* setup.cluster.get("Node", { name: "n1" })
        assert.isUndefined(freed.status?.volumesAttached)
        assert.deepStrictEqual(setup.detached, [{ node: "n1", volume: "v1", forced: false }])
      })
    ))

  it("tells the pods of an error of the driver, less and less often", () =>
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        const name = attachmentName(
          { name: "v1", driver: "csi.example.com", handle: "h1", uniqueName: "", shared: false },
          "n1"
        )
        const says = (status: object) =>
          setup.cluster.patch("VolumeAttachment", { name }, "merge", { status }, { subresource: "status" })
        const told = Effect.map(setup.cluster.list("Event"), ({ items }) =>
          items
            .filter(({ reason }) => reason === "FailedAttachVolume")
            .map(({ count, involvedObject, message }) => [involvedObject?.name, message, count])
        )
        yield* says({ attached: false, attachError: { message: "no disk" } })
        yield* Effect.sleep("4 seconds")
        const message = 'AttachVolume.Attach failed for volume "v1" : no disk'
        assert.deepStrictEqual(yield* told, [["p1", message, 4]])
        yield* says({ attached: true, attachError: null })
        yield* Effect.sleep("10 minutes")
        assert.deepStrictEqual(yield* told, [["p1", message, 4]])
      })
    ))

  it("leaves the attachments of others alone", () =>
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        const attachment = (volume: string): VolumeAttachment => ({
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttachment",
          metadata: { name: `by-hand-${volume}` },
          spec: { attacher: "csi.example.com", nodeName: "n2", source: { persistentVolumeName: volume } }
        })
        yield* setup.cluster.create("VolumeAttachment", attachment("v1"))
        yield* setup.cluster.create("VolumeAttachment", attachment("missing"))
        yield* setup.says("n2", true, [])
        yield* Effect.sleep("10 minutes")
        assert.deepStrictEqual(yield* setup.attachedTo, ["n1", "n2", "n2"])
        yield* setup.cluster.delete("VolumeAttachment", { name: "by-hand-v1" })
        yield* oneSecond
        assert.isEmpty(setup.detached)
      })
    ))

  it("waits six minutes for an unhealthy node, and forever for a healthy one", () =>
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        yield* setup.says("n1", true, [UNIQUE])
        yield* setup.force("p1")
        yield* Effect.sleep("1 hour")
        assert.deepStrictEqual(yield* setup.attachedTo, ["n1"])
        yield* setup.says("n1", false, [UNIQUE])
        yield* oneSecond
        assert.deepStrictEqual(setup.detached, [{ node: "n1", volume: "v1", forced: true }])
      })
    ))

  it("counts the six minutes from when the volume is no longer wanted", () =>
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        yield* setup.says("n1", false, [UNIQUE])
        yield* Effect.sleep("1 hour")
        yield* setup.force("p1")
        yield* Effect.sleep("359 seconds")
        assert.isEmpty(setup.detached)
        yield* Effect.sleep("2 seconds")
        assert.strictEqual(setup.detached.length, 1)
      })
    ))

  it("needs no confirmation where the node is out of service, and never forces by time where that is switched off", () => {
    const taint = { spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" }] } }
    withAttachDetachController(
      (setup) =>
        Effect.gen(function* () {
          yield* setup.says("n1", false, [UNIQUE])
          yield* setup.force("p1")
          yield* Effect.sleep("1 hour")
          assert.isEmpty(setup.detached)
          yield* setup.cluster.patch("Node", { name: "n1" }, "merge", taint)
          yield* oneSecond
          assert.deepStrictEqual(setup.detached, [{ node: "n1", volume: "v1", forced: true }])
        }),
      "ReadWriteOnce",
      { disableForceDetachOnTimeout: true }
    )
  })

  it("keeps a volume attached for a pod that hangs in termination", () =>
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        const up = yield* setup.cluster.get("Pod", { namespace: "default", name: "p1" })
        const containerStatuses = [
          { name: "c", ready: true, restartCount: 0, image: "i", imageID: "", state: { running: {} } }
        ]
        yield* setup.cluster.updateStatus("Pod", {
          ...up,
          status: { ...up.status, phase: "Running", containerStatuses }
        })
        yield* setup.says("n1", false, [UNIQUE])
        yield* setup.cluster.delete("Pod", { namespace: "default", name: "p1" })
        yield* Effect.sleep("1 hour")
        assert.deepStrictEqual(yield* setup.attachedTo, ["n1"])
      })
    ))

  it("does not attach a ReadWriteOnce volume to a second node, and records why; a ReadWriteMany one it does", () => {
    const second = ({ attachedTo, cluster }: AttachDetachSetup) =>
      Effect.gen(function* () {
        yield* cluster.create("Pod", podWithClaim("p2", "n2"))
        yield* oneSecond
        const events = (yield* cluster.list("Event")).items.filter(({ reason }) => reason === "FailedAttachVolume")
        return { nodes: yield* attachedTo, messages: events.map(({ message }) => message) }
      })
    withAttachDetachController((setup) =>
      Effect.gen(function* () {
        const message = 'Multi-Attach error for volume "v1" Volume is already used by pod(s) p1'
        assert.deepStrictEqual(yield* second(setup), { nodes: ["n1"], messages: [message] })
        yield* setup.force("p1")
        yield* oneSecond
        assert.deepStrictEqual(yield* setup.attachedTo, ["n2"])
      })
    )
    withAttachDetachController(
      (setup) =>
        Effect.map(second(setup), (found) => assert.deepStrictEqual(found, { nodes: ["n1", "n2"], messages: [] })),
      "ReadWriteMany"
    )
  })
})
