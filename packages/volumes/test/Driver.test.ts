import { assert, describe, it } from "@effect/vitest"
import { annotationSelectedNode, annotationStorageProvisioner } from "@rollcall/api"
import { isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { zoneIndexOf } from "../src/driver/spreadHash.ts"
import { modelledDriver } from "../src/index.ts"
import { zonesFor } from "../src/rules.ts"
import { claimOf, classOf, nodeOf, podOf, withVolumeControllers } from "./withVolumeControllers.ts"

const inDefault = { namespace: "default" }
const settle = Effect.sleep("1 second")
const waitingClass = classOf("zonal", { volumeBindingMode: "WaitForFirstConsumer" })

describe("the modelled driver", () => {
  it("creates a volume once the pod's node is selected, in its zone", () =>
    withVolumeControllers(({ claim, cluster, eventsOf, select, volume, volumes }) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", nodeOf("n1", "zone-b"))
        yield* cluster.create("StorageClass", waitingClass)
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "zonal" }))
        yield* settle
        assert.isEmpty(yield* volumes)
        yield* select("data", "n1")
        yield* settle
        const bound = yield* claim("data")
        assert.strictEqual(bound.status?.phase, "Bound")
        assert.strictEqual(bound.metadata.annotations?.[annotationStorageProvisioner], modelledDriver)
        const made = yield* volume(`pvc-${bound.metadata.uid}`)
        assert.deepStrictEqual(made.spec?.nodeAffinity?.required?.nodeSelectorTerms, [
          { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["zone-b"] }] }
        ])
        assert.strictEqual(made.metadata.annotations?.["pv.kubernetes.io/provisioned-by"], modelledDriver)
        assert.deepStrictEqual(
          (yield* eventsOf("data")).map((text) => text.split(" ")[1]),
          ["WaitForFirstConsumer", "ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]
        )
      })
    ))

  it("attaches volumes only once they exist", () =>
    withVolumeControllers(({ cluster }) =>
      Effect.gen(function* () {
        yield* cluster.create("Node", nodeOf("n1", "zone-b"))
        yield* cluster.create("VolumeAttachment", {
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttachment",
          metadata: { name: "va" },
          spec: { attacher: modelledDriver, nodeName: "n1", source: { persistentVolumeName: "pv" } }
        })
        const isAttached = cluster
          .get("VolumeAttachment", { name: "va" })
          .pipe(Effect.map(({ status }) => status?.attached === true))
        yield* settle
        assert.isFalse(yield* isAttached)
        yield* cluster.create("PersistentVolume", {
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name: "pv" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            capacity: { storage: "1Gi" },
            csi: { driver: modelledDriver, volumeHandle: "h" }
          }
        })
        yield* Effect.sleep("1 minute")
        assert.isTrue(yield* isAttached)
      })
    ))

  it("names the pods whose scheduling a claim waits for", () =>
    withVolumeControllers(({ cluster, eventsOf }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", waitingClass)
        yield* cluster.create("Pod", podOf("db-0", "data"))
        yield* settle
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "zonal" }))
        yield* settle
        assert.deepStrictEqual(yield* eventsOf("data"), [
          "Normal WaitForPodScheduled waiting for pod db-0 to be scheduled"
        ])
      })
    ))

  it("requests another node where the selected one no longer exists", () =>
    withVolumeControllers(({ claim, cluster, eventsOf, select }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", waitingClass)
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "zonal" }))
        yield* settle
        yield* select("data", "gone")
        yield* settle
        assert.include(
          yield* eventsOf("data"),
          'Warning ProvisioningFailed failed to get target node: node "gone" not found'
        )
        assert.isUndefined((yield* claim("data")).metadata.annotations?.[annotationSelectedNode])
      })
    ))

  it("deletes released volumes, once they are detached", () =>
    withVolumeControllers(({ claim, cluster, volume, volumes }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", classOf("now"))
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "now" }))
        yield* settle
        const name = (yield* claim("data")).spec?.volumeName ?? ""
        yield* cluster.create("VolumeAttachment", {
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttachment",
          metadata: { name: "a" },
          spec: { attacher: modelledDriver, nodeName: "n1", source: { persistentVolumeName: name } }
        })
        yield* settle
        assert.isTrue((yield* cluster.get("VolumeAttachment", { name: "a" })).status?.attached)
        yield* cluster.delete("PersistentVolumeClaim", { ...inDefault, name: "data" })
        yield* settle
        assert.strictEqual((yield* volume(name)).status?.phase, "Released")
        yield* cluster.delete("VolumeAttachment", { name: "a" })
        yield* settle
        assert.isEmpty(yield* volumes)
      })
    ))

  it("keeps what its class retains", () =>
    withVolumeControllers(({ claim, cluster, volume }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", classOf("kept", { reclaimPolicy: "Retain" }))
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "kept" }))
        yield* settle
        const name = (yield* claim("data")).spec?.volumeName ?? ""
        yield* cluster.delete("PersistentVolumeClaim", { ...inDefault, name: "data" })
        yield* settle
        assert.strictEqual((yield* volume(name)).status?.phase, "Released")
      })
    ))
})

describe("a claim in use", () => {
  it("is deleted with its pod, and its volume with it", () =>
    withVolumeControllers(({ claim, cluster, volumes }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", classOf("now"))
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", { storageClassName: "now" }))
        yield* cluster.create("Pod", podOf("db-0", "data", "n1"))
        yield* settle
        yield* cluster.delete("PersistentVolumeClaim", { ...inDefault, name: "data" })
        yield* settle
        assert.isDefined((yield* claim("data")).metadata.deletionTimestamp)
        yield* cluster.delete("Pod", { ...inDefault, name: "db-0" }, { gracePeriodSeconds: 0 })
        yield* settle
        const left = yield* claim("data").pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        assert.isUndefined(left)
        assert.isEmpty(yield* volumes)
      })
    ))
})

describe("generic ephemeral volumes", () => {
  const pod = {
    ...podOf("job", "x"),
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [
        {
          name: "scratch",
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { labels: { app: "job" } },
              spec: {
                accessModes: ["ReadWriteOnce"],
                storageClassName: "now",
                resources: { requests: { storage: "1Gi" } }
              }
            }
          }
        }
      ]
    }
  }

  it("get a claim that is the pod's", () =>
    withVolumeControllers(({ claim, cluster }) =>
      Effect.gen(function* () {
        yield* cluster.create("StorageClass", classOf("now"))
        const { metadata } = yield* cluster.create("Pod", pod)
        yield* settle
        const made = yield* claim("job-scratch")
        assert.strictEqual(made.status?.phase, "Bound")
        assert.deepStrictEqual(made.metadata.labels, { app: "job" })
        assert.deepInclude(made.metadata.ownerReferences?.[0], {
          kind: "Pod",
          uid: metadata.uid ?? "",
          controller: true
        })
      })
    ))

  it("do not use another owner's claim of the same name", () =>
    withVolumeControllers(({ cluster, eventsOf }) =>
      Effect.gen(function* () {
        yield* cluster.create("PersistentVolumeClaim", claimOf("job-scratch"))
        yield* settle
        const volumes = [...pod.spec.volumes, ...pod.spec.volumes.map((volume) => ({ ...volume, name: "more" }))]
        yield* cluster.create("Pod", { ...pod, spec: { ...pod.spec, volumes } })
        yield* settle
        assert.deepStrictEqual(yield* eventsOf("job"), [
          "Warning FailedBinding ephemeral volume scratch: PVC default/job-scratch was not created for pod default/job (pod is not owner)"
        ])
        const names = Effect.map(cluster.list("PersistentVolumeClaim"), ({ items }) =>
          items.map(({ metadata }) => metadata.name).sort()
        )
        assert.deepStrictEqual(yield* names, ["job-scratch"], "what comes after it waits")
        yield* cluster.delete("PersistentVolumeClaim", { namespace: "default", name: "job-scratch" })
        yield* Effect.sleep("1 minute")
        assert.deepStrictEqual(yield* names, ["job-more", "job-scratch"], "it is tried again")
      })
    ))
})

describe("where volumes are", () => {
  const nodes = () => ["c", "a", "b", "a"].map((zone, index) => nodeOf(`n${index}`, zone))
  const zonesOf = (claim: string, more: Parameters<typeof classOf>[1] = {}, selected?: string) =>
    zonesFor({
      claim,
      storageClass: classOf("c", more),
      nodes,
      selectedNode: selected === undefined ? undefined : nodeOf("n", selected)
    })

  it("spreads the ordinals of a StatefulSet over the zones, and keeps the claims of one together", () => {
    const zones = [0, 1, 2, 3].map((ordinal) => zonesOf(`data-db-${ordinal}`)[0])
    assert.strictEqual(new Set(zones.slice(0, 3)).size, 3)
    assert.strictEqual(zones[3], zones[0])
    assert.deepStrictEqual(zonesOf("log-db-1"), zonesOf("data-db-1"))
    // The published value of FNV-1 for "a", without and with an ordinal.
    assert.strictEqual(zoneIndexOf("a", 2 ** 32), 0x050c5d7e)
    assert.strictEqual(zoneIndexOf("data-a-2", 2 ** 32), 0x050c5d80)
  })

  it("depends on the node, the zones that the class allows, and whether the storage is reachable everywhere", () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: "topology.ebs.csi.aws.com/zone", values: ["b"] }] }]
    assert.deepStrictEqual(zonesOf("data", { allowedTopologies }), ["b"])
    assert.deepStrictEqual(zonesOf("data", {}, "c"), ["c"])
    assert.deepStrictEqual(zonesOf("data", {}, ""), [])
    assert.deepStrictEqual(zonesOf("data", { parameters: { reach: "everywhere" } }, "c"), [])
    assert.deepStrictEqual(zonesOf("data", { provisioner: "rook-ceph.rbd.csi.ceph.com" }, "c"), [])
    assert.deepStrictEqual(zonesOf("data", { parameters: { "replication-type": "regional-pd" } }, "c"), ["a", "c"])
  })
})
