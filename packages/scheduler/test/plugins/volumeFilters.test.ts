import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod
} from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { type SchedulingCache, type SchedulingEvent, volumeBinding } from "../../src/index.ts"
import { diskOnDriver, driverOfProvisioner, isMigratable, volumeOnDriver } from "../../src/plugins/inTreeVolumes.ts"
import { volumeBindingWith } from "../../src/plugins/VolumeBinding.ts"
import { nodeVolumeLimits, volumeRestrictions, volumeZone } from "../../src/rules.ts"
import { claimNamed, classNamed, localClass, volumeOf } from "../volumes/claims.ts"
import {
  attachmentOf,
  bindClaim,
  claimOf,
  csiNodeOf,
  placePod as placeOn,
  podWithClaims,
  podWithVolumes,
  volumeNamed
} from "../volumes.ts"
import {
  cacheOf,
  filterResults,
  hintOf,
  nodeOf,
  nodeUpdate,
  podOf,
  podOnNode,
  unrelatedEvent,
  zoneKey
} from "./pluginTest.ts"

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins"
const ebs = "ebs.csi.aws.com"
const disks = "disks.example.com"

const inOtherNamespace = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, namespace: "other" } })
const podWithEphemeralVolume = (name: string) => podWithVolumes(name, { ephemeral: {} })
const podWithoutClaims = podOf("p", { volumes: [{ name: "e", emptyDir: {} }] })
const withoutNamespace = (pod: Pod): Pod => {
  const { namespace: _, ...metadata } = pod.metadata
  return { ...pod, metadata }
}

const nodeAdded: SchedulingEvent = { _tag: "NodeAdded", node: nodeOf("n") }
const zoneLabelAdded = nodeUpdate(nodeOf("n"), nodeOf("n", { labels: { [zoneKey]: "a" } }))
const nodeCordoned = nodeUpdate(nodeOf("n"), nodeOf("n", { spec: { unschedulable: true } }))
const podDeleted = (pod: Pod): SchedulingEvent => ({ _tag: "AssignedPodDeleted", pod: podOnNode(pod) })
const claimChanged = (claim: PersistentVolumeClaim, before?: PersistentVolumeClaim): SchedulingEvent => ({
  _tag: "ClaimChanged",
  before,
  claim
})
const inNamespace = (claim: PersistentVolumeClaim, namespace: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, namespace }
})

describe("volumes that in-tree plugins name", () => {
  const csiNode = (plugins: string): CSINode => ({
    ...csiNodeOf("n", 1),
    metadata: { name: "n", annotations: { [migratedPlugins]: plugins } }
  })
  const volume = (source: object, labels: Record<string, string> = {}): PersistentVolume => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv", labels },
    spec: { ...source }
  })

  // Upstream: staging/src/k8s.io/csi-translation-lib/plugins.
  const cases: ReadonlyArray<readonly [string, object, string, string, string]> = [
    ["awsElasticBlockStore", { volumeID: "vol-1" }, "kubernetes.io/aws-ebs", ebs, "vol-1"],
    ["awsElasticBlockStore", { volumeID: "aws://us-east-1a/vol-1" }, "kubernetes.io/aws-ebs", ebs, "vol-1"],
    ["awsElasticBlockStore", {}, "kubernetes.io/aws-ebs", ebs, ""],
    [
      "gcePersistentDisk",
      { pdName: "d" },
      "kubernetes.io/gce-pd",
      "pd.csi.storage.gke.io",
      "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"
    ],
    ["azureDisk", { diskURI: "/disks/d" }, "kubernetes.io/azure-disk", "disk.csi.azure.com", "/disks/d"],
    ["cinder", { volumeID: "v" }, "kubernetes.io/cinder", "cinder.csi.openstack.org", "v"],
    ["portworxVolume", { volumeID: "v" }, "kubernetes.io/portworx-volume", "pxd.portworx.com", "v"]
  ]

  it("count for their CSI drivers on nodes that report the migration, and for no driver elsewhere", () => {
    for (const [source, attributes, plugin, driver, handle] of cases) {
      const disk = { source: source as "cinder", attributes: { ...attributes } }
      const expected = { driver, handle }
      const persistent = volume({ [source]: attributes })
      assert.deepStrictEqual(diskOnDriver(disk, csiNode(plugin)), expected)
      assert.deepStrictEqual(volumeOnDriver(persistent, csiNode(plugin)), expected)
      assert.deepStrictEqual(volumeOnDriver(persistent, csiNode(`kubernetes.io/other,${plugin}`)), expected)
      const noted: CSINode = { ...csiNodeOf("n", 1), metadata: { name: "n", annotations: { note: plugin } } }
      for (const other of [undefined, csiNodeOf("n", 1), noted, csiNode(`${plugin}-2`)]) {
        assert.isUndefined(diskOnDriver(disk, other))
        assert.isUndefined(volumeOnDriver(persistent, other))
      }
      assert.isTrue(isMigratable(disk))
      assert.strictEqual(driverOfProvisioner(plugin, csiNode(plugin)), driver)
      assert.strictEqual(driverOfProvisioner(plugin, undefined), plugin)
    }
    assert.isFalse(isMigratable({ source: "iscsi", attributes: {} }))
    assert.isUndefined(diskOnDriver({ source: "rbd", attributes: {} }, csiNode("kubernetes.io/rbd")))
    assert.strictEqual(driverOfProvisioner(disks, csiNode("kubernetes.io/cinder")), disks)
  })

  it("carry the zone of their label where the driver's handle has one", () => {
    const there = volume({ gcePersistentDisk: { pdName: "d" } }, { [zoneKey]: "z" })
    assert.deepStrictEqual(volumeOnDriver(there, csiNode("kubernetes.io/gce-pd")), {
      driver: "pd.csi.storage.gke.io",
      handle: "projects/UNSPECIFIED/zones/z/disks/d"
    })
    const { labels: _, ...metadata } = there.metadata
    assert.include(
      volumeOnDriver({ ...there, metadata }, csiNode("kubernetes.io/gce-pd"))?.handle,
      "/UNSPECIFIED/disks/d"
    )
  })

  it("have the names that CSI gives them", () => {
    assert.deepStrictEqual(volumeOnDriver(volumeNamed("pv"), undefined), { driver: disks, handle: "pv" })
    assert.isUndefined(volumeOnDriver(volume({ hostPath: { path: "/x" } }), csiNode("kubernetes.io/cinder")))
    const { spec: _, ...bare } = volumeNamed("pv")
    assert.isUndefined(volumeOnDriver(bare, csiNode("kubernetes.io/cinder")))
  })
})

// Upstream: nodevolumelimits/csi.go.
describe("NodeVolumeLimits", () => {
  const full = "node(s) exceed max volume count"
  const limited = (count: number, ...claims: ReadonlyArray<string>): SchedulingCache => {
    const cache = cacheOf(nodeOf("n"))
    cache.setCSINode("n", csiNodeOf("n", count))
    for (const claim of claims) bindClaim(cache, claim)
    return cache
  }
  const said = (cache: SchedulingCache, pod: Pod) => {
    const verdict = filterResults(nodeVolumeLimits, cache, pod)
    return typeof verdict === "object" ? verdict.n : verdict
  }
  const fast = (name: string) => claimNamed(name, { storageClassName: "fast" })

  it("skips pods without volumes that drivers attach", () => {
    const cache = limited(0)
    assert.strictEqual(said(cache, podOf("p")), "Skip")
    assert.strictEqual(said(cache, podWithoutClaims), "Skip")
    assert.strictEqual(said(cache, podWithVolumes("p", { iscsi: { iqn: "i" } })), "Skip")
    assert.isUndefined(said(cache, podWithVolumes("p", { iscsi: { iqn: "i" } }, { cinder: { volumeID: "v" } })))
    assert.isUndefined(said(cache, podWithEphemeralVolume("p")))
    assert.isUndefined(said(cache, podWithClaims("p", "unknown")))
    const both = podWithVolumes("p", { persistentVolumeClaim: { claimName: "unknown" } }, { ephemeral: {} })
    assert.isUndefined(said(cache, both))
    const { spec: _, ...bare } = claimOf("bare", "")
    cache.setClaim("default", "bare", bare)
    assert.isUndefined(said(cache, podWithClaims("p", "bare")))
  })

  it("counts the claims of ephemeral volumes, by their class until they are bound", () => {
    const cache = limited(0)
    cache.setClaim("default", "p-v0", fast("p-v0"))
    assert.isUndefined(said(cache, podWithEphemeralVolume("p")))
    cache.setStorageClass("fast", classNamed("fast"))
    assert.strictEqual(said(cache, podWithEphemeralVolume("p")), full)
    cache.setClaim("default", "p-v0", claimOf("p-v0", "pv"))
    cache.setVolume("pv", volumeNamed("pv", {}, { driver: "other.example.com", volumeHandle: "x" }))
    assert.isUndefined(said(cache, podWithEphemeralVolume("p")))
  })

  it("counts two unbound claims as two volumes, also with one name in two namespaces", () => {
    const cache = limited(2)
    cache.setStorageClass("fast", classNamed("fast"))
    for (const name of ["one", "two", "three"]) cache.setClaim("default", name, fast(name))
    cache.setClaim("other", "one", inNamespace(fast("one"), "other"))
    assert.isUndefined(said(cache, podWithClaims("p", "one", "two")))
    assert.strictEqual(said(cache, podWithClaims("p", "one", "two", "three")), full)
    placeOn(cache, inOtherNamespace(podWithClaims("q", "one")), "n")
    assert.isUndefined(said(cache, podWithClaims("p", "one")))
    assert.strictEqual(said(cache, podWithClaims("p", "one", "two")), full)
  })

  it("counts an unbound claim of a migrated in-tree provisioner for its driver", () => {
    const cache = cacheOf(nodeOf("n"))
    cache.setStorageClass("fast", classNamed("fast", { provisioner: "kubernetes.io/aws-ebs" }))
    cache.setClaim("default", "one", fast("one"))
    const csiNode = csiNodeOf("n", 0, ebs)
    cache.setCSINode("n", csiNode)
    assert.isUndefined(said(cache, podWithClaims("p", "one")))
    cache.setCSINode("n", {
      ...csiNode,
      metadata: { name: "n", annotations: { [migratedPlugins]: "kubernetes.io/aws-ebs" } }
    })
    assert.strictEqual(said(cache, podWithClaims("p", "one")), full)
  })

  it("counts each driver by itself, and those without a limit not at all", () => {
    const cache = limited(0, "one")
    const drivers = (...limits: ReadonlyArray<readonly [string, number | undefined]>): CSINode => ({
      ...csiNodeOf("n", 0),
      spec: {
        drivers: limits.map(([name, count]) => ({
          name,
          nodeID: "n",
          ...(count === undefined ? {} : { allocatable: { count } })
        }))
      }
    })
    const withDrivers = (csiNode: CSINode) => {
      cache.setCSINode("n", csiNode)
      return said(cache, podWithClaims("p", "one"))
    }
    assert.strictEqual(withDrivers(drivers(["other", 9], [disks, 0])), full)
    assert.isUndefined(withDrivers(drivers(["other", 0], [disks, 1])))
    assert.isUndefined(withDrivers(drivers([disks, undefined])))
    assert.isUndefined(
      withDrivers({ ...drivers(), spec: { drivers: [{ name: disks, nodeID: "n", allocatable: {} }] } })
    )
    assert.isUndefined(withDrivers(drivers()))
  })

  it("counts volumes of other drivers only against those drivers' limits", () => {
    const cache = limited(1, "one")
    bindClaim(cache, "x", volumeNamed("pv-x", {}, { driver: "other.example.com", volumeHandle: "x" }))
    placeOn(cache, podWithClaims("q", "x"), "n")
    assert.isUndefined(said(cache, podWithClaims("p", "one")))
    bindClaim(cache, "two")
    placeOn(cache, podWithClaims("r", "two"), "n")
    assert.strictEqual(said(cache, podWithClaims("p", "one")), full)
    // What needs nothing more attached may come though the node is full, or over full.
    assert.isUndefined(said(cache, podWithClaims("p", "two")))
    cache.setCSINode("n", csiNodeOf("n", 0))
    assert.isUndefined(said(cache, podWithClaims("p", "two")))
    assert.isUndefined(said(cache, podWithClaims("p", "x")))
  })

  it("counts no attachment of a volume that is not known, or names none", () => {
    const cache = limited(1, "one")
    cache.setAttachment(attachmentOf("n", "unknown"))
    cache.setAttachment({ ...attachmentOf("n", "x"), spec: { attacher: disks, nodeName: "n", source: {} } })
    cache.setAttachment(attachmentOf("elsewhere", "pv-one"))
    assert.isUndefined(said(cache, podWithClaims("p", "one")))
    bindClaim(cache, "two")
    cache.setAttachment(attachmentOf("n", "pv-two"))
    assert.strictEqual(said(cache, podWithClaims("p", "one")), full)
  })

  it("counts no volume without a driver or a handle", () => {
    const cache = limited(0)
    bindClaim(cache, "one", volumeNamed("pv", {}, { driver: disks, volumeHandle: "" }))
    assert.isUndefined(said(cache, podWithClaims("p", "one")))
    cache.setCSINode("n", csiNodeOf("n", 0, ""))
    bindClaim(cache, "one", volumeNamed("pv", {}, { driver: "", volumeHandle: "x" }))
    assert.isUndefined(said(cache, podWithClaims("p", "one")))
  })

  it("requeues when a driver can take more", () => {
    const hint = hintOf(nodeVolumeLimits, podWithClaims("p", "one"))
    const change = (before: CSINode | undefined, csiNode: CSINode) => hint({ _tag: "CSINodeChanged", before, csiNode })
    const one = csiNodeOf("n", 1)
    const none: CSINode = { ...one, spec: { drivers: [{ name: disks, nodeID: "n" }] } }
    assert.isTrue(change(undefined, one))
    assert.isTrue(change(one, csiNodeOf("n", 2)))
    assert.isFalse(change(csiNodeOf("n", 2), csiNodeOf("n", 2)))
    assert.isFalse(change(csiNodeOf("n", 2), one))
    assert.isFalse(change(one, none))
    // A driver that was not there, or had no limit, had a limit of 0.
    assert.isTrue(change(one, csiNodeOf("n", 2, "other")))
    assert.isTrue(change(none, one))
    assert.isFalse(change(none, none))
    assert.isFalse(change(one, csiNodeOf("n", 0, "other")))
    const empty: CSINode = { ...one, spec: {} }
    assert.deepStrictEqual([change(empty, one), change(one, empty)], [true, false])
    const [large = [], small = [], larger = []] = [
      csiNodeOf("n", 5),
      csiNodeOf("n", 1, "other"),
      csiNodeOf("n", 2, "other")
    ].map(({ spec }) => spec.drivers)
    const two: CSINode = { ...one, spec: { drivers: [...large, ...small] } }
    const more: CSINode = { ...one, spec: { drivers: [...large, ...larger] } }
    assert.isTrue(change(two, more))
  })

  it("requeues when volumes are detached, or a claim that was missing is there", () => {
    const hint = hintOf(nodeVolumeLimits, podWithClaims("p", "one"))
    for (const pod of [
      podWithClaims("q", "x"),
      podWithEphemeralVolume("q"),
      podWithVolumes("q", { cinder: { volumeID: "v" } })
    ]) {
      assert.isTrue(hint(podDeleted(pod)))
    }
    for (const pod of [podOf("q"), podWithoutClaims, podWithVolumes("q", { iscsi: { iqn: "i" } })])
      assert.isFalse(hint(podDeleted(pod)))
    assert.isTrue(hint(podDeleted(podWithVolumes("q", { iscsi: { iqn: "i" } }, { cinder: { volumeID: "v" } }))))
    assert.isTrue(hint(unrelatedEvent))
    assert.isFalse(hintOf(nodeVolumeLimits, podWithoutClaims)(unrelatedEvent))
    assert.isTrue(hint(claimChanged(claimOf("one", ""))))
    assert.isFalse(hint(claimChanged(claimOf("one", "pv"), claimOf("one", ""))))
    assert.isFalse(hint(claimChanged(claimOf("two", ""))))
    assert.isFalse(hint(claimChanged(inNamespace(claimOf("one", ""), "other"))))
    assert.isTrue(hintOf(nodeVolumeLimits, podWithEphemeralVolume("p"))(claimChanged(claimOf("p-v0", ""))))
    assert.isFalse(hintOf(nodeVolumeLimits, podWithoutClaims)(claimChanged(claimOf("one", ""))))
    assert.isFalse(hint(nodeAdded))
  })
})

describe("VolumeRestrictions", () => {
  const noDisk = "node(s) had no available disk"
  const taken = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
  const alone = (cache: SchedulingCache, name: string) =>
    bindClaim(cache, name, volumeNamed(`pv-${name}`), "ReadWriteOncePod")

  it("skips pods that share what they mount", () => {
    const cache = cacheOf(nodeOf("n"))
    assert.strictEqual(filterResults(volumeRestrictions, cache, podWithoutClaims), "Skip")
    assert.strictEqual(
      filterResults(volumeRestrictions, cache, podWithVolumes("p", { cinder: { volumeID: "v" } })),
      "Skip"
    )
    bindClaim(cache, "shared")
    placeOn(cache, podWithClaims("q", "shared"), "n")
    assert.strictEqual(filterResults(volumeRestrictions, cache, podWithClaims("p", "shared")), "Skip")
    for (const spec of [undefined, {}]) {
      const { spec: _, ...bare } = claimOf("bare", "")
      cache.setClaim("default", "bare", spec === undefined ? bare : { ...bare, spec })
      assert.strictEqual(filterResults(volumeRestrictions, cache, podWithClaims("p", "bare")), "Skip")
    }
    alone(cache, "free")
    assert.strictEqual(filterResults(volumeRestrictions, cache, podWithClaims("p", "free")), "Skip")
  })

  it("rejects a pod whose claim does not exist, once any claim is known", () => {
    const cache = cacheOf(nodeOf("n"))
    assert.strictEqual(filterResults(volumeRestrictions, cache, podWithClaims("p", "data")), "Skip")
    bindClaim(cache, "other")
    assert.deepStrictEqual(volumeRestrictions.prepare(cache.describe(podWithClaims("p", "other", "data")), cache), {
      _tag: "Reject",
      rejection: {
        code: "UnschedulableAndUnresolvable",
        plugin: "VolumeRestrictions",
        reasons: ['persistentvolumeclaim "data" not found']
      }
    })
  })

  it("rejects a pod whose ReadWriteOncePod claim is in use, and names a disk conflict first", () => {
    const cache = cacheOf(nodeOf("n"), nodeOf("m"))
    alone(cache, "data")
    bindClaim(cache, "shared")
    placeOn(cache, podWithClaims("q", "data", "shared"), "n")
    assert.deepStrictEqual(filterResults(volumeRestrictions, cache, podWithClaims("p", "data", "shared")), {
      n: taken,
      m: taken
    })
    const disk = { awsElasticBlockStore: { volumeID: "v" } }
    placeOn(cache, podWithVolumes("r", disk), "n")
    const both = podWithVolumes("p", { persistentVolumeClaim: { claimName: "data" } }, disk)
    assert.deepStrictEqual(filterResults(volumeRestrictions, cache, both), { n: noDisk, m: taken })
  })

  it("compares each disk of the pod with each on the node", () => {
    const disk = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } })
    const cache = cacheOf(nodeOf("n"))
    const said = (...volumes: ReadonlyArray<object>) => {
      const verdict = filterResults(volumeRestrictions, cache, podWithVolumes("p", ...volumes))
      return typeof verdict === "object" ? verdict.n : verdict
    }
    assert.isUndefined(said(disk("a")))
    placeOn(cache, podWithVolumes("q", disk("x"), disk("b")), "n")
    placeOn(cache, podWithClaims("r", "data"), "n")
    assert.strictEqual(said(disk("a"), disk("b")), noDisk)
    assert.isUndefined(said(disk("a"), disk("c")))
  })

  it("lets pods share disks for reading only, of the kinds that can", () => {
    const said = (there: object, incoming: object) => {
      const cache = cacheOf(nodeOf("n"))
      placeOn(cache, podWithVolumes("q", there), "n")
      const verdict = filterResults(volumeRestrictions, cache, podWithVolumes("p", incoming))
      return typeof verdict === "object" && verdict.n === noDisk
    }
    const shared = {
      gcePersistentDisk: { pdName: "d" },
      iscsi: { iqn: "d" },
      rbd: { monitors: ["m"], image: "d" }
    }
    for (const [source, attributes] of Object.entries(shared)) {
      const [writing, reading] = [{ [source]: attributes }, { [source]: { ...attributes, readOnly: true } }]
      assert.deepStrictEqual(
        [said(writing, writing), said(writing, reading), said(reading, writing), said(reading, reading)],
        [true, true, true, false],
        source
      )
    }
    const ebsDisk = { awsElasticBlockStore: { volumeID: "v", readOnly: true } }
    assert.isTrue(said(ebsDisk, ebsDisk))
    const rbd = (attributes: object) => ({ rbd: { monitors: ["m"], image: "d", ...attributes } })
    assert.isTrue(said(rbd({}), rbd({ pool: "rbd" })))
    assert.isTrue(said(rbd({ pool: "rbd" }), rbd({})))
    assert.isFalse(said(rbd({}), rbd({ pool: "other" })))
    assert.isFalse(said(rbd({}), rbd({ image: "e" })))
    assert.isFalse(said(rbd({}), rbd({ monitors: ["n"] })))
    assert.isTrue(said(rbd({ monitors: ["l", "m"] }), rbd({ monitors: ["m", "n"] })))
    assert.isFalse(said(rbd({ monitors: undefined }), rbd({ monitors: undefined })))
    assert.isFalse(said({ gcePersistentDisk: { pdName: "d" } }, { gcePersistentDisk: { pdName: "e" } }))
    assert.isFalse(said({ iscsi: { iqn: "d" } }, { iscsi: { iqn: "e" } }))
    assert.isFalse(said({ cinder: { volumeID: "d" } }, { awsElasticBlockStore: { volumeID: "d" } }))
  })

  it("requeues for new nodes, new claims of the pod, and when a pod with its claim or disk is gone", () => {
    const disk = { awsElasticBlockStore: { volumeID: "v" } }
    const hint = hintOf(volumeRestrictions, podWithVolumes("p", { persistentVolumeClaim: { claimName: "data" } }, disk))
    assert.isTrue(hint(nodeAdded))
    assert.isTrue(hint(podDeleted(podWithVolumes("q", disk))))
    assert.isTrue(hint(podDeleted(withoutNamespace(podWithVolumes("q", disk)))))
    assert.isTrue(hint(podDeleted(podWithClaims("q", "x", "data"))))
    assert.isFalse(hint(podDeleted(podWithClaims("q", "x"))))
    const cinder = { cinder: { volumeID: "v" } }
    assert.isFalse(hintOf(volumeRestrictions, podWithVolumes("p", cinder))(podDeleted(podWithVolumes("q", cinder))))
    assert.isFalse(hint(podDeleted(podOf("q"))))
    assert.isFalse(hint(podDeleted(inOtherNamespace(podWithClaims("q", "data")))))
    assert.isTrue(hint(claimChanged(claimOf("data", ""))))
    assert.isFalse(hint(claimChanged(claimOf("other", ""))))
    assert.isFalse(hint(claimChanged(inNamespace(claimOf("data", ""), "other"))))
    assert.isFalse(hint(claimChanged(claimOf("data", "pv"), claimOf("data", ""))))
    assert.isFalse(hint(zoneLabelAdded))
    const bare = hintOf(volumeRestrictions, podOf("p"))
    assert.isFalse(bare(podDeleted(podWithClaims("q", "data"))))
    assert.isFalse(bare(claimChanged(claimOf("data", ""))))
  })
})

describe("VolumeZone", () => {
  const region = "topology.kubernetes.io/region"
  const betaZone = "failure-domain.beta.kubernetes.io/zone"
  const betaRegion = "failure-domain.beta.kubernetes.io/region"
  const wrongZone = "node(s) had no available volume zone"
  const nodes = () =>
    cacheOf(
      nodeOf("a", { labels: { [zoneKey]: "a", [region]: "r" } }),
      nodeOf("b", { labels: { [betaZone]: "b", [betaRegion]: "r" } }),
      nodeOf("nowhere")
    )
  const said = (...labels: ReadonlyArray<Record<string, string>>) => {
    const cache = nodes()
    labels.forEach((each, index) => {
      bindClaim(cache, `c${index}`, volumeNamed(`pv${index}`, each))
    })
    return filterResults(volumeZone, cache, podWithClaims("p", ...labels.map((_, index) => `c${index}`)))
  }

  it("skips pods without claims, or whose volumes are in no zone", () => {
    assert.strictEqual(said({}), "Skip")
    assert.strictEqual(said({ [zoneKey]: "" }), "Skip")
    assert.strictEqual(said({ [zoneKey]: "a__ " }), "Skip")
    assert.strictEqual(filterResults(volumeZone, nodes(), podWithClaims("p", "unknown")), "Skip")
    assert.strictEqual(filterResults(volumeZone, nodes(), podWithoutClaims), "Skip")
    const cache = nodes()
    bindClaim(cache, "c")
    assert.strictEqual(filterResults(volumeZone, cache, podWithEphemeralVolume("p")), "Skip")
  })

  it("allows nodes in all zones and regions of the volumes, by either name of the labels, and nodes in none", () => {
    const all = { a: wrongZone, b: wrongZone, nowhere: undefined }
    assert.deepStrictEqual(said({ [zoneKey]: "a" }), { ...all, a: undefined })
    // A volume's old label is looked up under the new name too; a node's old label only under the old one.
    assert.deepStrictEqual(said({ [betaZone]: "a" }), { ...all, a: undefined })
    assert.deepStrictEqual(said({ [betaZone]: "b" }), { ...all, b: undefined })
    assert.deepStrictEqual(said({ [zoneKey]: "b" }), all)
    assert.deepStrictEqual(said({ [betaRegion]: "r" }), { a: undefined, b: undefined, nowhere: undefined })
    assert.deepStrictEqual(said({ [betaZone]: "b__ a" }), { a: undefined, b: undefined, nowhere: undefined })
    assert.deepStrictEqual(said({ [zoneKey]: "a", [region]: "s" }), all)
    assert.deepStrictEqual(said({ [region]: "r" }, { [zoneKey]: "a" }), { ...all, a: undefined })
  })

  it("rejects pods with missing claims or volumes, and ignores claims that are not bound", () => {
    const cache = nodes()
    bindClaim(cache, "c", volumeNamed("pv", { [zoneKey]: "a" }))
    cache.setClaim("default", "unbound", claimOf("unbound", ""))
    assert.strictEqual(
      filterResults(volumeZone, cache, podWithClaims("p", "c", "none")),
      'persistentvolumeclaim "none" not found'
    )
    assert.strictEqual(filterResults(volumeZone, cache, podWithClaims("p", "unbound")), "Skip")
    const { spec: _, ...bare } = claimOf("bare", "")
    cache.setClaim("default", "bare", bare)
    assert.strictEqual(filterResults(volumeZone, cache, podWithClaims("p", "bare")), "Skip")
    assert.notStrictEqual(filterResults(volumeZone, cache, podWithClaims("p", "unbound", "c")), "Skip")
    cache.setClaim("default", "lost", claimOf("lost", "gone"))
    assert.strictEqual(
      filterResults(volumeZone, cache, podWithClaims("p", "lost")),
      'persistentvolume "gone" not found'
    )
    const { labels: _labels, ...metadata } = volumeNamed("pv").metadata
    cache.setVolume("pv", { ...volumeNamed("pv"), metadata })
    assert.strictEqual(filterResults(volumeZone, cache, podWithClaims("p", "c")), "Skip")
  })

  it("requeues for nodes, claims of the pod, new classes that wait for pods, and volumes in other zones", () => {
    const hint = hintOf(volumeZone, podWithClaims("p", "data"))
    assert.isTrue(hint(nodeAdded))
    assert.isTrue(hint(zoneLabelAdded))
    assert.isTrue(hint(nodeCordoned))
    const storageClass = (before: boolean, volumeBindingMode: "Immediate" | "WaitForFirstConsumer") =>
      hint({
        _tag: "StorageClassChanged",
        before: before ? localClass : undefined,
        storageClass: { ...localClass, volumeBindingMode }
      })
    assert.isTrue(storageClass(false, "WaitForFirstConsumer"))
    assert.isFalse(storageClass(false, "Immediate"))
    assert.isFalse(storageClass(true, "WaitForFirstConsumer"))
    assert.isTrue(hint(claimChanged(claimOf("data", "pv"), claimOf("data", ""))))
    assert.isFalse(hint(claimChanged(claimOf("other", "pv"))))
    assert.isFalse(hint(claimChanged(inNamespace(claimOf("data", "pv"), "other"))))
    assert.isFalse(hintOf(volumeZone, podOf("p"))(claimChanged(claimOf("data", "pv"))))
    const volume = (before: Record<string, string> | undefined, labels: Record<string, string>) =>
      hint({
        _tag: "VolumeChanged",
        before: before && volumeNamed("pv", before),
        volume: volumeNamed("pv", labels)
      })
    assert.isTrue(volume(undefined, {}))
    assert.isTrue(volume({ [zoneKey]: "a" }, { [zoneKey]: "b" }))
    assert.isTrue(volume({ [zoneKey]: "a" }, { [region]: "a" }))
    assert.isTrue(volume({ [zoneKey]: "a" }, { [zoneKey]: "a", [region]: "r" }))
    assert.isFalse(volume({ [zoneKey]: "a__b" }, { [zoneKey]: "b__a", note: "x" }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: podOnNode(podWithClaims("q", "data")) }))
  })
})

describe("VolumeBinding", () => {
  it("skips pods without claims, and all pods before any claim is known", () => {
    const cache = cacheOf(nodeOf("n"))
    assert.strictEqual(filterResults(volumeBinding, cache, podWithClaims("p", "data")), "Skip")
    bindClaim(cache, "data")
    assert.strictEqual(filterResults(volumeBinding, cache, podWithoutClaims), "Skip")
    assert.strictEqual(filterResults(volumeBinding, cache, podWithVolumes("p", { cinder: { volumeID: "v" } })), "Skip")
  })

  it("gives all reasons against a node", () => {
    const cache = cacheOf(nodeOf("a", { labels: { [zoneKey]: "a" } }), nodeOf("b", { labels: { [zoneKey]: "b" } }))
    cache.setStorageClass("local", localClass)
    bindClaim(cache, "bound", volumeOf("pv", { zone: "b", storageClassName: "other" }))
    cache.setClaim("default", "waiting", claimNamed("waiting"))
    const [far, none] = [
      "node(s) didn't match PersistentVolume's node affinity",
      "node(s) didn't find available persistent volumes to bind"
    ]
    assert.deepStrictEqual(filterResults(volumeBinding, cache, podWithClaims("p", "bound")), { a: far, b: undefined })
    assert.deepStrictEqual(filterResults(volumeBinding, cache, podWithClaims("p", "bound", "waiting")), {
      a: `${far}, ${none}`,
      b: none
    })
    const prepared = volumeBinding.prepare(cache.describe(podWithClaims("p", "bound")), cache)
    assert(prepared._tag === "Check")
    assert.deepStrictEqual(
      cache.nodes().map((node) => prepared.check(node)?.code),
      ["UnschedulableAndUnresolvable", undefined]
    )
    cache.setVolume("free", volumeOf("free", { zone: "b" }))
    assert.deepStrictEqual(filterResults(volumeBinding, cache, podWithClaims("p", "bound", "waiting")), {
      a: `${far}, ${none}`,
      b: undefined
    })
  })

  it("assumes the volumes of a pod's claims on its node, and releases them", () => {
    const cache = cacheOf(nodeOf("n"))
    const reserve = (pod: Pod, node = "n") => volumeBinding.reserve(cache.describe(pod), node, cache)
    const plugin = volumeBindingWith({ bindTimeoutSeconds: 600 })
    const concerns = (pod: Pod) => plugin.concerns?.(cache.describe(pod), "n", cache)
    const pod = podWithClaims("p", "data")
    assert.isUndefined(reserve(pod))
    assert.isTrue(cache.volumes.assumed.isEmpty)
    cache.setStorageClass("local", localClass)
    bindClaim(cache, "bound")
    cache.setClaim("default", "data", claimNamed("data"))
    cache.setVolume("free", volumeOf("free"))
    for (const other of [podWithoutClaims, podWithClaims("p", "bound"), podWithClaims("p", "unknown")]) reserve(other)
    reserve(pod, "unknown")
    assert.isTrue(cache.volumes.assumed.isEmpty)
    assert.isFalse(concerns(pod))
    reserve(pod)
    assert.isDefined(cache.volumes.assumed.claimOf("free"))
    assert.isTrue(concerns(pod))
    volumeBinding.unreserve(cache.describe(pod), "n", cache)
    assert.isTrue(cache.volumes.assumed.isEmpty)
    cache.setVolume("free", undefined)
    reserve(pod)
    assert.isTrue(cache.volumes.assumed.isEmpty)
  })

  it("reports once that the claims are bound, and only then releases the assumed volumes", () => {
    const prepared = (node: string, isPromised: boolean) => {
      const { run, timers } = makeVirtualTime(0)
      const cache = cacheOf(nodeOf("n"))
      const pod = cache.describe(podWithClaims("p", "data"))
      if (isPromised) cache.assumeVolumes(pod.key, node, { bindings: [], provisions: [] })
      const told: Array<string | undefined> = []
      const connection = { send: () => () => undefined, watch: () => () => undefined }
      volumeBinding.preBind({
        cache,
        connection,
        done: (problem) => told.push(problem),
        node,
        note: () => undefined,
        pod,
        timers
      })
      run(Effect.sleep("5 seconds"))
      return [told, cache.volumes.assumed.size]
    }
    assert.deepStrictEqual(prepared("n", true), [[undefined], 0])
    assert.deepStrictEqual(prepared("n", false), [[undefined], 0])
    // The scheduler gives back what a pod was promised that does not get there.
    assert.deepStrictEqual(prepared("gone", true), [
      ['binding volumes: failed to get node "gone": node "gone" not found'],
      1
    ])
  })

  // Upstream: volumebinding/volume_binding.go EventsToRegister.
  describe("requeues", () => {
    const hint = hintOf(volumeBinding, podWithClaims("p", "data"))

    it("for new nodes, changed labels, any volume, and the pod's claims", () => {
      assert.isTrue(hint(nodeAdded))
      assert.isTrue(hint(zoneLabelAdded))
      assert.isTrue(hint(nodeCordoned))
      assert.isTrue(hint({ _tag: "VolumeChanged", before: volumeNamed("pv"), volume: volumeNamed("pv") }))
      assert.isTrue(hint(claimChanged(claimOf("data", "pv"), claimOf("data", ""))))
      assert.isFalse(hint(claimChanged(claimOf("other", "pv"))))
      assert.isTrue(hintOf(volumeBinding, podWithEphemeralVolume("p"))(claimChanged(claimOf("p-v0", ""))))
      assert.isFalse(hint(unrelatedEvent))
    })

    it("for new classes, and those whose allowed topologies change", () => {
      const allowedTopologies = [{ matchLabelExpressions: [{ key: zoneKey, values: ["a"] }] }]
      const change = (before: typeof localClass | undefined, storageClass: typeof localClass) =>
        hint({ _tag: "StorageClassChanged", before, storageClass })
      const zonal = { ...localClass, allowedTopologies }
      assert.isTrue(change(undefined, localClass))
      assert.isTrue(change(localClass, zonal))
      assert.isTrue(change(zonal, localClass))
      assert.isFalse(change(zonal, { ...zonal, parameters: { x: "y" } }))
      assert.isFalse(change(localClass, { ...localClass, allowedTopologies: [] }))
      assert.isFalse(change({ ...localClass, allowedTopologies: [] }, localClass))
    })

    it("for new CSINodes, and those that report another migrated plugin", () => {
      const csiNode = (plugins?: string): CSINode => ({
        ...csiNodeOf("n", 1),
        metadata: { name: "n", ...(plugins === undefined ? {} : { annotations: { [migratedPlugins]: plugins } }) }
      })
      const change = (before: CSINode | undefined, after: CSINode) =>
        hint({ _tag: "CSINodeChanged", before, csiNode: after })
      assert.isTrue(change(undefined, csiNode()))
      assert.isTrue(change(csiNode(), csiNode("x")))
      assert.isTrue(change(csiNode("x"), csiNode()))
      assert.isFalse(change(csiNode("x"), csiNode("x")))
      assert.isFalse(change(csiNode(), csiNode()))
    })

    it("when a driver of the pod's volumes no longer tracks capacity", () => {
      const driver = (storageCapacity?: boolean): CSIDriver => ({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSIDriver",
        metadata: { name: disks },
        spec: storageCapacity === undefined ? {} : { storageCapacity }
      })
      const inline = podWithVolumes("p", { emptyDir: {} }, { csi: { driver: disks } })
      const change = (before: CSIDriver, after: CSIDriver, pod = inline) =>
        hintOf(volumeBinding, pod)({ _tag: "CSIDriverUpdated", before, driver: after })
      assert.isTrue(change(driver(true), driver(false)))
      assert.isTrue(change(driver(true), driver()))
      assert.isFalse(change(driver(true), driver(true)))
      assert.isFalse(change(driver(false), driver(false)))
      assert.isFalse(change(driver(), driver()))
      assert.isFalse(change(driver(true), driver(), podWithVolumes("p", { csi: { driver: "other" } })))
      assert.isFalse(change(driver(true), driver(), podWithoutClaims))
      assert.isFalse(change(driver(true), driver(), podOf("p")))
    })

    it("for new CSIStorageCapacities, and those that allow larger volumes", () => {
      const capacity = (more: Partial<CSIStorageCapacity>): CSIStorageCapacity => ({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSIStorageCapacity",
        metadata: { name: "c", namespace: "default" },
        storageClassName: "fast",
        ...more
      })
      const change = (before: Partial<CSIStorageCapacity> | undefined, after: Partial<CSIStorageCapacity>) =>
        hint({
          _tag: "StorageCapacityChanged",
          before: before && capacity(before),
          capacity: capacity(after)
        })
      assert.isTrue(change(undefined, {}))
      assert.isTrue(change({ capacity: "1Gi" }, { capacity: "2Gi" }))
      assert.isFalse(change({ capacity: "2Gi" }, { capacity: "1Gi" }))
      assert.isFalse(change({ capacity: "1Gi" }, { capacity: "1Gi" }))
      assert.isFalse(change({ capacity: "1Gi" }, {}))
      assert.isTrue(change({}, { capacity: "0" }))
      assert.isFalse(change({}, {}))
      assert.isFalse(
        change({ capacity: "9Gi", maximumVolumeSize: "1Gi" }, { capacity: "10Gi", maximumVolumeSize: "1Gi" })
      )
    })
  })
})
