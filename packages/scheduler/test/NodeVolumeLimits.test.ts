import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SchedulingCache } from "../src/index.ts"
import { nodeVolumeLimits } from "../src/rules.ts"
import {
  attachmentOf,
  bindClaim,
  claimOf,
  csiNodeOf,
  goesTo,
  mounting,
  place,
  volumeNamed,
  withVolumes
} from "./volumes.ts"
import { nodeNamed, withScheduler } from "./withScheduler.ts"

const full = "0/1 nodes are available: 1 node(s) exceed max volume count."

const oneNode = (limit: number, ...claims: ReadonlyArray<string>) => {
  const cache = new SchedulingCache()
  cache.setNode(nodeNamed("a"))
  cache.setCSINode("a", csiNodeOf("a", limit))
  for (const claim of claims) bindClaim(cache, claim)
  return cache
}

describe("NodeVolumeLimits", () => {
  it("counts the volumes of a driver, each once however many pods mount it", () => {
    const cache = oneNode(2, "one", "two", "three")
    assert.strictEqual(goesTo(cache, mounting("p", "one", "two")), "a")
    assert.strictEqual(goesTo(cache, mounting("p", "one", "two", "three")), full)
    place(cache, mounting("first", "one"), "a")
    place(cache, mounting("second", "one", "two"), "a")
    assert.strictEqual(goesTo(cache, mounting("p", "two")), "a")
    assert.strictEqual(goesTo(cache, mounting("p", "three")), full)
  })

  it("counts attached volumes of deleted pods", () => {
    const cache = oneNode(2, "one", "two", "three")
    for (const claim of ["one", "two"]) cache.setAttachment(attachmentOf("a", `pv-${claim}`))
    assert.strictEqual(goesTo(cache, mounting("p", "three")), full)
    // Attached for this very pod, or for one that the node knows already.
    assert.strictEqual(goesTo(cache, mounting("p", "one")), "a")
    cache.setAttachment(attachmentOf("a", "pv-two"), true)
    assert.strictEqual(goesTo(cache, mounting("p", "three")), "a")
  })

  it("counts claims that are not bound yet by the provisioner of their class", () => {
    const cache = oneNode(1)
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
    assert.strictEqual(goesTo(cache, mounting("p", "one", "two")), "a")
    cache.setStorageClass("fast", storageClass)
    assert.strictEqual(goesTo(cache, mounting("p", "one", "two")), full)
    assert.strictEqual(goesTo(cache, mounting("p", "one")), "a")
  })

  it("has no limits if the node reports none", () => {
    const cache = oneNode(0, "one")
    assert.strictEqual(goesTo(cache, mounting("p", "one")), full)
    bindClaim(cache, "one", volumeNamed("pv", {}, { driver: "other.example.com", volumeHandle: "v" }))
    assert.strictEqual(goesTo(cache, mounting("p", "one")), "a")
    bindClaim(cache, "one")
    cache.setCSINode("a", undefined)
    assert.strictEqual(goesTo(cache, mounting("p", "one")), "a")
  })

  it("counts disks in a pod's own words where a driver has taken them over", () => {
    const cache = oneNode(0)
    const csiNode = csiNodeOf("a", 1, "ebs.csi.aws.com")
    cache.setCSINode("a", csiNode)
    const disk = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } })
    assert.strictEqual(goesTo(cache, withVolumes("p", disk("v"), disk("w"))), "a")
    const annotations = { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/gce-pd,kubernetes.io/aws-ebs" }
    cache.setCSINode("a", { ...csiNode, metadata: { name: "a", annotations } })
    assert.strictEqual(goesTo(cache, withVolumes("p", disk("v"), disk("w"))), full)
    assert.strictEqual(goesTo(cache, withVolumes("p", disk("v"), disk("aws://zone/v"))), "a")
  })

  it("requeues when a driver's limit increases", () => {
    const cache = oneNode(1, "one")
    const info = cache.describe(mounting("p", "one"))
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
        yield* cluster.create("Pod", mounting("p", "two"))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("p")).spec.nodeName)
        yield* cluster.delete("VolumeAttachment", { name: "a-pv-one" })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("p")).spec.nodeName, "a")
        yield* cluster.create("Pod", mounting("q", "three"))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("q")).spec.nodeName)
        yield* cluster.delete("CSINode", { name: "a" })
        yield* cluster.create("CSINode", csiNodeOf("a", 2))
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("q")).spec.nodeName, "a")
      })
    ))
})
