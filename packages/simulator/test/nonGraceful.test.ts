import { assert, describe, it } from "vitest"
import { entriesOf, run } from "./run.ts"

const labels = { app: "db" }
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
}

const database = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "default" },
  spec: {
    replicas: 2,
    serviceName: "db",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "db" }] } },
    volumeClaimTemplates: [claim]
  }
}
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "db", namespace: "default" },
  spec: { selector: labels, ports: [{ port: 5432 }] }
}

/** Disks that both zones can reach, so that their location does not keep the pods from moving. */
const reachableAnywhere = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "anywhere", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "csi.rollcall.dev",
  parameters: { reach: "everywhere" },
  volumeBindingMode: "WaitForFirstConsumer"
}

/** One node for the database in each zone, so that the placement is known. */
const cluster = (only: string) => ({
  nodes: [
    { name: "a", count: 1, zone: "a" },
    { name: "b", count: 1, zone: "b", ...(only === "a" ? { taints: [{ key: "later", effect: "NoSchedule" }] } : {}) }
  ],
  objects: [reachableAnywhere, service, database]
})

/** The database starts on a-0; b-0 becomes schedulable after a minute; then a-0 is lost. */
const runWithFault = (fault: string, ...more: ReadonlyArray<unknown>) => ({
  duration: "30m",
  cluster: cluster("a"),
  events: [
    { at: "1m", do: "untaint", nodes: { names: ["b-0"] }, taint: { key: "later", effect: "NoSchedule" } },
    { at: "2m", fault, nodes: { names: ["a-0"] } },
    ...more
  ]
})

const forceDelete = { at: "10m", do: "delete", object: { kind: "Pod", name: "db-0" }, force: true }

describe("a node that is lost without a shutdown", () => {
  it("keeps a StatefulSet's pods and their volumes indefinitely", () => {
    const result = run(runWithFault("crash"))
    assert.deepStrictEqual(
      entriesOf(result, "PodDeletionRequested").map(({ by, pod }) => [pod, by]),
      [
        ["db-0", "taint-eviction"],
        ["db-1", "taint-eviction"]
      ]
    )
    assert.isEmpty(entriesOf(result, "PodDeleted"))
    assert.isEmpty(entriesOf(result, "VolumeDetached"))
    const [down] = result.summary.workloads.filter(({ kind }) => kind === "Service")
    // Not Ready from 45 s after the crash to the end at 30 minutes.
    assert.isAbove(down?.unavailableSeconds ?? 0, 1600)
  })

  it("with the out-of-service taint loses its pods, then their volumes, and replacements start", () => {
    const result = run(runWithFault("crash", { at: "15m", do: "out-of-service", nodes: { names: ["a-0"] } }))
    const detached = entriesOf(result, "VolumeDetached")
    assert.deepStrictEqual(
      detached.map(({ forced, node }) => [node, forced]),
      [
        ["a-0", true],
        ["a-0", true]
      ]
    )
    const gone = entriesOf(result, "PodDeleted")
    for (const { at } of gone) assert.isBelow(at - 900, 21)
    for (const { at } of detached) assert.isBelow(at - 900, 22)
    assert.isEmpty(entriesOf(result, "SplitBrain"))
    const back = entriesOf(result, "PodScheduled").filter(({ at, node }) => at > 900 && node === "b-0")
    assert.deepStrictEqual(
      back.map(({ pod }) => pod),
      ["db-0", "db-1"]
    )
  })

  it("loses a still mounted volume by force-detach after six minutes, unless that is disabled", () => {
    const [detached] = entriesOf(run(runWithFault("crash", forceDelete)), "VolumeDetached")
    assert.isTrue(detached?.forced)
    assert.isAbove(detached?.at ?? 0, 600 + 360)
    assert.isBelow(detached?.at ?? 0, 600 + 361)
    const config = { kubeControllerManager: { attachDetachController: { disableForceDetachOnTimeout: true } } }
    assert.isEmpty(entriesOf(run({ ...runWithFault("crash", forceDelete), config }), "VolumeDetached"))
  })

  it("leads to a split brain if a pod is force-deleted while its machine still runs", () => {
    const result = run(runWithFault("partition", forceDelete))
    const [found, ...others] = entriesOf(result, "SplitBrain")
    assert.deepInclude(found, { namespace: "default", pod: "db-0", nodes: ["a-0", "b-0"] })
    assert.isEmpty(others)
    // The newer pod waits six minutes for the older pod's volume, until it is force-detached.
    assert.isAbove(found?.at ?? 0, 600 + 360)
    const events = result.events.filter(({ reason }) => reason === "FailedAttachVolume")
    assert.deepStrictEqual(
      events.map(({ message, name }) => [name, message.replace(/"[^"]*"/, "V")]),
      [
        [
          "db-0",
          "Multi-Attach error for volume V Volume is already exclusively attached to one node and can't be attached to another"
        ]
      ]
    )
    assert.isUndefined(result.bugs)
    assert.isEmpty(entriesOf(run(runWithFault("partition")), "SplitBrain"))
  })

  it("detaches a volume normally while it is healthy", () => {
    const scaled = { at: "5m", do: "scale", object: { kind: "StatefulSet", name: "db" }, replicas: 1 }
    const result = run({ duration: "10m", cluster: cluster(""), events: [scaled] })
    assert.deepStrictEqual(
      entriesOf(result, "VolumeDetached").map(({ forced }) => forced),
      [false]
    )
  })
})
