import type { CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { SchedulingCache, type SchedulingEvent, volumeBinding } from "../../src/index.ts"
import { conflicts, findVolumes, isConflict } from "../../src/volumes/findVolumes.ts"
import { podClaimsByState } from "../../src/volumes/podClaims.ts"
import { nodeOrReason, podWithClaims, podWithVolumes } from "../volumes.ts"
import { nodeNamed } from "../withScheduler.ts"
import { claimNamed, classNamed, localClass, volumeOf } from "./claims.ts"

const nodes = [nodeNamed("a", { zone: "a" }), nodeNamed("b", { zone: "b" })]

const cacheWith = (
  claims: ReadonlyArray<PersistentVolumeClaim>,
  volumes: ReadonlyArray<PersistentVolume> = [],
  classes = [localClass, classNamed("disks")]
) => {
  const cache = new SchedulingCache()
  for (const node of nodes) cache.setNode(node)
  for (const each of classes) cache.setStorageClass(each.metadata.name ?? "", each)
  for (const each of claims) cache.setClaim("default", each.metadata.name ?? "", each)
  for (const each of volumes) cache.setVolume(each.metadata.name ?? "", each)
  return cache
}

/** What is found for a pod on node a: claims with their volumes, or `new`; or what speaks against the node. */
const findOnNode = (cache: SchedulingCache, pod: Pod, nodeName = "a") => {
  const claims = podClaimsByState(cache.describe(pod), cache.volumes)
  const node = cache.node(nodeName)?.node
  if ("fault" in claims || node === undefined) throw new Error("not to be found")
  const found = findVolumes(claims, cache.volumes)(node)
  if (isConflict(found)) return found
  return Object.fromEntries([
    ...found.bindings.map(({ claim, volume }) => [claim.metadata.name, volume.metadata.name]),
    ...found.provisions.map(({ metadata }) => [metadata.name, "new"])
  ])
}

const volumeChosenFor = (claim: PersistentVolumeClaim, ...volumes: ReadonlyArray<PersistentVolume>) =>
  findOnNode(cacheWith([claim], volumes), podWithClaims("p", "data"))

describe("finding volumes for claims that wait for a pod", () => {
  const data = claimNamed("data")

  it("takes the smallest sufficient volume, by name among equals", () => {
    const small = volumeOf("small", { size: "900Mi" })
    const large = volumeOf("large", { size: "10Gi" })
    const fit = volumeOf("fit", { size: "2Gi" })
    assert.deepStrictEqual(volumeChosenFor(data, small, large, fit), { data: "fit" })
    assert.deepStrictEqual(volumeChosenFor(data, volumeOf("z"), volumeOf("m"), volumeOf("x")), { data: "m" })
    assert.deepStrictEqual(volumeChosenFor(data, small), ["bindConflict"])
  })

  it("takes only volumes with the requested class, modes, labels and topology", () => {
    const refused: Record<string, PersistentVolume> = {
      class: volumeOf("v", { storageClassName: "disks" }),
      "access mode": volumeOf("v", { more: { accessModes: ["ReadOnlyMany"] } }),
      "volume mode": volumeOf("v", { more: { volumeMode: "Block" } }),
      attributes: volumeOf("v", { more: { volumeAttributesClassName: "gold" } }),
      phase: volumeOf("v", { phase: "Released" }),
      zone: volumeOf("v", { zone: "b" }),
      host: volumeOf("v", { hosts: ["b", "c"] }),
      "another's": volumeOf("v", { more: { claimRef: { namespace: "default", name: "other" } } }),
      "going away": { ...volumeOf("v"), metadata: { name: "v", deletionTimestamp: "2026-01-01T00:00:00Z" } }
    }
    for (const [why, volume] of Object.entries(refused))
      assert.deepStrictEqual(volumeChosenFor(data, volume), ["bindConflict"], why)
    const gold = claimNamed("data", { more: { selector: { matchLabels: { tier: "gold" } } } })
    assert.deepStrictEqual(volumeChosenFor(gold, volumeOf("v", { labels: { tier: "tin" } })), ["bindConflict"])
    assert.deepStrictEqual(volumeChosenFor(gold, volumeOf("v", { labels: { tier: "gold" }, zone: "a" })), { data: "v" })
    assert.deepStrictEqual(volumeChosenFor(data, volumeOf("v", { hosts: ["c", "a"] })), { data: "v" })
  })

  it("considers volumes with and without node affinity", () => {
    const open = volumeOf("open", { size: "3Gi" })
    const zonal = volumeOf("zonal", { size: "2Gi", zone: "a" })
    const local = volumeOf("local", { size: "1Gi", hosts: ["a"] })
    assert.deepStrictEqual(volumeChosenFor(data, open, zonal, local), { data: "local" })
    assert.deepStrictEqual(volumeChosenFor(data, open, zonal), { data: "zonal" })
    assert.deepStrictEqual(volumeChosenFor(data, volumeOf("open"), zonal), { data: "open" })
  })

  it("takes the volume that is pre-bound to the claim, or none", () => {
    const mine = (zone: string, uid?: string) =>
      volumeOf("mine", {
        size: "9Gi",
        zone,
        phase: "Pending",
        more: { claimRef: { namespace: "default", name: "data", ...(uid === undefined ? {} : { uid }) } }
      })
    assert.deepStrictEqual(volumeChosenFor(data, volumeOf("small"), mine("a")), { data: "mine" })
    assert.deepStrictEqual(volumeChosenFor(data, volumeOf("small"), mine("b")), ["bindConflict"])
    assert.deepStrictEqual(volumeChosenFor(data, volumeOf("small"), mine("a", "of-an-earlier-claim")), {
      data: "small"
    })
  })

  it("finds a volume for each claim of a pod, the smallest claim first", () => {
    const claims = [claimNamed("large", { size: "5Gi" }), claimNamed("small", { size: "1Gi" })]
    const volumes = [volumeOf("v5", { size: "5Gi" }), volumeOf("v6", { size: "6Gi" })]
    const pod = podWithClaims("p", "large", "small")
    assert.deepStrictEqual(findOnNode(cacheWith(claims, volumes), pod), { small: "v5", large: "v6" })
    assert.deepStrictEqual(findOnNode(cacheWith(claims, volumes.slice(1)), pod), ["bindConflict"])
  })

  it("requests a new volume if none exists, if the class has a provisioner and allows the topology", () => {
    const claim = claimNamed("data", { storageClassName: "disks" })
    const made = (allowedTopologies?: ReadonlyArray<object>) =>
      findOnNode(
        cacheWith([claim], [], [classNamed("disks", allowedTopologies === undefined ? {} : { allowedTopologies })]),
        podWithClaims("p", "data")
      )
    const term = (...values: ReadonlyArray<string>) => ({
      matchLabelExpressions: [{ key: "topology.kubernetes.io/zone", values }]
    })
    assert.deepStrictEqual(made(), { data: "new" })
    assert.deepStrictEqual(made([term("b"), term("c", "a")]), { data: "new" })
    assert.deepStrictEqual(made([term("b")]), ["bindConflict"])
    assert.deepStrictEqual(made([{}]), ["bindConflict"])
    assert.deepStrictEqual(volumeChosenFor(claim, volumeOf("v", { storageClassName: "disks" })), { data: "v" })
  })

  it("keeps the node that a volume is being provisioned for", () => {
    const annotations = { "volume.kubernetes.io/selected-node": "b" }
    const cache = cacheWith([claimNamed("data", { annotations, storageClassName: "disks" })])
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("p", "data"), "a"), ["bindConflict"])
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("p", "data"), "b"), { data: "new" })
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "data")), "b")
  })

  it("checks the capacity if the driver tracks it", () => {
    const cache = cacheWith([claimNamed("data", { size: "5Gi", storageClassName: "disks" })])
    const room = (name: string, zone: string | undefined, sizes: Partial<CSIStorageCapacity>): CSIStorageCapacity => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIStorageCapacity",
      metadata: { name, namespace: "kube-system" },
      storageClassName: "disks",
      ...(zone === undefined ? {} : { nodeTopology: { matchLabels: { "topology.kubernetes.io/zone": zone } } }),
      ...sizes
    })
    const found = () => findOnNode(cache, podWithClaims("p", "data"))
    const driver = (storageCapacity: boolean) => ({
      apiVersion: "storage.k8s.io/v1" as const,
      kind: "CSIDriver" as const,
      metadata: { name: "disks.example.com" },
      spec: { storageCapacity }
    })
    cache.setCSIDriver("disks.example.com", driver(false))
    assert.deepStrictEqual(found(), { data: "new" })
    cache.setCSIDriver("disks.example.com", driver(true))
    assert.deepStrictEqual(found(), ["notEnoughSpace"])
    cache.setStorageCapacity(room("b", "b", { capacity: "10Gi" }))
    cache.setStorageCapacity(room("nowhere", undefined, { capacity: "10Gi" }))
    cache.setStorageCapacity(room("a", "a", { capacity: "10Gi", maximumVolumeSize: "4Gi" }))
    assert.deepStrictEqual(found(), ["notEnoughSpace"])
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "data")), "b")
    cache.setStorageCapacity(room("a", "a", { capacity: "5Gi" }))
    assert.deepStrictEqual(found(), { data: "new" })
    cache.setStorageCapacity(room("a", "a", {}), true)
    assert.deepStrictEqual(found(), ["notEnoughSpace"])
  })

  it("gives all reasons against a node", () => {
    const bound = claimNamed("bound", {
      annotations: { "pv.kubernetes.io/bind-completed": "yes" },
      more: { volumeName: "pv" }
    })
    const pod = podWithClaims("p", "bound", "data")
    const cache = cacheWith([bound, claimNamed("data")], [volumeOf("pv", { zone: "b", phase: "Bound" })])
    assert.deepStrictEqual(findOnNode(cache, pod), ["nodeConflict", "bindConflict"])
    assert.deepStrictEqual(findOnNode(cacheWith([bound, claimNamed("data")]), pod), ["bindConflict", "volumeNotFound"])
    assert.strictEqual(
      nodeOrReason(cache, pod),
      `0/2 nodes are available: 1 ${conflicts.nodeConflict}, 2 ${conflicts.bindConflict}.`
    )
  })

  it("uses an assumed volume only for its claim, and no other volume for that claim", () => {
    const claims = [claimNamed("data"), claimNamed("other"), claimNamed("made", { storageClassName: "disks" })]
    const cache = cacheWith(claims, [volumeOf("v", { zone: "a" }), volumeOf("w", { size: "2Gi" })])
    const info = cache.describe(podWithClaims("p", "data", "made"))
    assert.isUndefined(volumeBinding.reserve(info, "a", cache))
    assert.isTrue(volumeBinding.concerns?.(info, "a", cache))
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("q", "other")), { other: "w" })
    // Who shares a claim shares its volume, and goes where it is.
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("q", "data")), { data: "v" })
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("q", "data"), "b"), ["bindConflict"])
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("q", "made"), "b"), ["bindConflict"])
    volumeBinding.unreserve(info, "a", cache)
    assert.isTrue(cache.volumes.assumed.isEmpty)
    assert.deepStrictEqual(findOnNode(cache, podWithClaims("q", "other")), { other: "v" })
  })
})

describe("hints of VolumeBinding", () => {
  const hinted = (pod: Pod) => {
    const cache = new SchedulingCache()
    return (event: SchedulingEvent) => volumeBinding.hint?.(cache.describe(pod), event, cache)
  }
  const hint = hinted(podWithClaims("p", "data"))

  it("accept events that could bind the pod's claims", () => {
    const volume = volumeOf("v")
    assert.isTrue(hint({ _tag: "VolumeChanged", before: volume, volume }))
    assert.isTrue(hint({ _tag: "ClaimChanged", before: undefined, claim: claimNamed("data") }))
    assert.isFalse(hint({ _tag: "ClaimChanged", before: undefined, claim: claimNamed("other") }))
    const disks = classNamed("disks")
    const narrowed = classNamed("disks", { allowedTopologies: [{}] })
    assert.isTrue(hint({ _tag: "StorageClassChanged", before: undefined, storageClass: disks }))
    assert.isTrue(hint({ _tag: "StorageClassChanged", before: narrowed, storageClass: disks }))
    assert.isFalse(
      hint({ _tag: "StorageClassChanged", before: disks, storageClass: { ...disks, parameters: { x: "y" } } })
    )
    assert.isTrue(hint({ _tag: "NodeAdded", node: nodeNamed("n") }))
    assert.isFalse(hint({ _tag: "AssignedPodDeleted", pod: podWithClaims("q", "data") }))
  })

  it("accept events of nodes and drivers that could help", () => {
    const csiNode = (plugins?: string) =>
      ({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: {
          name: "n",
          ...(plugins === undefined ? {} : { annotations: { "storage.alpha.kubernetes.io/migrated-plugins": plugins } })
        },
        spec: { drivers: [] }
      }) as const
    assert.isTrue(hint({ _tag: "CSINodeChanged", before: undefined, csiNode: csiNode() }))
    assert.isTrue(hint({ _tag: "CSINodeChanged", before: csiNode(), csiNode: csiNode("kubernetes.io/aws-ebs") }))
    assert.isFalse(hint({ _tag: "CSINodeChanged", before: csiNode(), csiNode: csiNode() }))
    const capacity = (size?: string): CSIStorageCapacity => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIStorageCapacity",
      metadata: { name: "c", namespace: "default" },
      storageClassName: "disks",
      ...(size === undefined ? {} : { capacity: size })
    })
    assert.isTrue(hint({ _tag: "StorageCapacityChanged", before: undefined, capacity: capacity() }))
    assert.isTrue(hint({ _tag: "StorageCapacityChanged", before: capacity(), capacity: capacity("1Gi") }))
    assert.isTrue(hint({ _tag: "StorageCapacityChanged", before: capacity("1Gi"), capacity: capacity("2Gi") }))
    assert.isFalse(hint({ _tag: "StorageCapacityChanged", before: capacity("2Gi"), capacity: capacity("1Gi") }))
    const driver = (storageCapacity: boolean) => ({
      apiVersion: "storage.k8s.io/v1" as const,
      kind: "CSIDriver" as const,
      metadata: { name: "d" },
      spec: { storageCapacity }
    })
    const inline = hinted(podWithVolumes("p", { csi: { driver: "d" } }))
    assert.isTrue(inline({ _tag: "CSIDriverUpdated", before: driver(true), driver: driver(false) }))
    assert.isFalse(inline({ _tag: "CSIDriverUpdated", before: driver(false), driver: driver(false) }))
    assert.isFalse(hint({ _tag: "CSIDriverUpdated", before: driver(true), driver: driver(false) }))
  })
})
