import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SchedulingCache } from "../src/index.ts"
import { nodeVolumeLimits } from "../src/rules.ts"
import {
  attachmentOf,
  bindClaim,
  claimOf,
  csiNodeOf,
  nodeOrReason,
  placePod,
  podWithClaims,
  podWithVolumes,
  volumeNamed
} from "./volumes.ts"
import { nodeNamed, withScheduler } from "./withScheduler.ts"

const EXCEED_MAX_VOLUME_COUNT = "0/1 nodes are available: 1 node(s) exceed max volume count."

const cacheOfOneNode = (limit: number, ...claims: ReadonlyArray<string>) => {
  const cache = new SchedulingCache()
  cache.setNode(nodeNamed("a"))
  cache.setCSINode("a", csiNodeOf("a", limit))
  for (const claim of claims) bindClaim(cache, claim)
  return cache
}

describe("NodeVolumeLimits", () => {
  it("counts the volumes of a driver, each once however many pods mount it", () => {
    const cache = cacheOfOneNode(2, "one", "two", "three")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one", "two")), "a")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one", "two", "three")), EXCEED_MAX_VOLUME_COUNT)
    placePod(cache, podWithClaims("first", "one"), "a")
    placePod(cache, podWithClaims("second", "one", "two"), "a")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "two")), "a")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "three")), EXCEED_MAX_VOLUME_COUNT)
  })

  it("counts attached volumes of deleted pods", () => {
    const cache = cacheOfOneNode(2, "one", "two", "three")
    for (const claim of ["one", "two"]) cache.setAttachment(attachmentOf("a", `pv-${claim}`))
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "three")), EXCEED_MAX_VOLUME_COUNT)
    // Attached for this very pod, or for one that the node knows already.
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one")), "a")
    cache.setAttachment(attachmentOf("a", "pv-two"), true)
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "three")), "a")
  })

  it("counts claims that are not bound yet by the provisioner of their class", () => {
    const cache = cacheOfOneNode(1)
    const storageClass = {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "fast" },
      provisioner: "disks.example.com",
      volumeBindingMode: "WaitForFirstConsumer"
    } as const
    for (const name of ["one", "two"]) {
      const { spec, ...claim } = claimOf(name, "")
      cache.setClaim("default", name, { ...claim, spec: { ...spec, storageClassName: "fast" } })
    }
    cache.setStorageClass("fast", { ...storageClass, provisioner: "other.example.com" })
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one", "two")), "a")
    cache.setStorageClass("fast", storageClass)
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one", "two")), EXCEED_MAX_VOLUME_COUNT)
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one")), "a")
  })

  it("has no limits if the node reports none", () => {
    const cache = cacheOfOneNode(0, "one")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one")), EXCEED_MAX_VOLUME_COUNT)
    bindClaim(cache, "one", volumeNamed("pv", {}, { driver: "other.example.com", volumeHandle: "v" }))
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one")), "a")
    bindClaim(cache, "one")
    cache.setCSINode("a", undefined)
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "one")), "a")
  })

  it("counts in-tree volumes of a pod whose plugin has migrated to a driver", () => {
    const cache = cacheOfOneNode(0)
    const csiNode = csiNodeOf("a", 1, "ebs.csi.aws.com")
    cache.setCSINode("a", csiNode)
    const disk = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } })
    assert.strictEqual(nodeOrReason(cache, podWithVolumes("p", disk("v"), disk("w"))), "a")
    const annotations = { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/gce-pd,kubernetes.io/aws-ebs" }
    cache.setCSINode("a", { ...csiNode, metadata: { name: "a", annotations } })
    assert.strictEqual(nodeOrReason(cache, podWithVolumes("p", disk("v"), disk("w"))), EXCEED_MAX_VOLUME_COUNT)
    assert.strictEqual(nodeOrReason(cache, podWithVolumes("p", disk("v"), disk("aws://zone/v"))), "a")
  })

  it("requeues when a driver's limit increases", () => {
    const cache = cacheOfOneNode(1, "one")
    const info = cache.describe(podWithClaims("p", "one"))
    const hint = (before: number, after: number) =>
      nodeVolumeLimits.hint?.(
        info,
        { _tag: "CSINodeChanged", before: csiNodeOf("a", before), csiNode: csiNodeOf("a", after) },
        cache
      )
    assert.deepStrictEqual([hint(1, 2), hint(2, 2), hint(2, 1)], [true, false, false])
  })

  it("tries again when a node can take more, or a volume is detached", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        yield* cluster.create("CSINode", csiNodeOf("a", 1))
        for (const name of ["one", "two", "three"]) {
          yield* cluster.create("PersistentVolume", volumeNamed(`pv-${name}`))
          yield* cluster.create("PersistentVolumeClaim", claimOf(name, `pv-${name}`))
        }
        yield* cluster.create("VolumeAttachment", attachmentOf("a", "pv-one"))
        yield* cluster.create("Pod", podWithClaims("p", "two"))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("p")).spec.nodeName)
        yield* cluster.delete("VolumeAttachment", { name: "a-pv-one" })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
        yield* cluster.create("Pod", podWithClaims("q", "three"))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("q")).spec.nodeName)
        yield* cluster.delete("CSINode", { name: "a" })
        yield* cluster.create("CSINode", csiNodeOf("a", 2))
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("q")).spec.nodeName, "a")
      })
    ))
})
