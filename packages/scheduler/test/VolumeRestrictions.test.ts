import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Algorithm, defaultProfile, SchedulingCache } from "../src/index.ts"
import { bindClaim, claimOf, nodeOrReason, placePod, podWithClaims, podWithVolumes, volumeNamed } from "./volumes.ts"
import { nodeNamed, withScheduler } from "./withScheduler.ts"

const cacheOfTwoNodes = () => {
  const cache = new SchedulingCache()
  for (const name of ["a", "b"]) cache.setNode(nodeNamed(name))
  return cache
}

const CLAIM_IN_USE =
  "0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode."

describe("VolumeRestrictions", () => {
  it("lets only one pod use a ReadWriteOncePod claim", () => {
    const cache = cacheOfTwoNodes()
    bindClaim(cache, "data", volumeNamed("pv"), "ReadWriteOncePod")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("first", "data")), "a")
    placePod(cache, podWithClaims("first", "data"), "b")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("second", "data")), CLAIM_IN_USE)
    // A claim of the same name elsewhere is another.
    const other = { ...podWithClaims("third", "data"), metadata: { name: "third", namespace: "other" } }
    cache.setClaim("other", "data", claimOf("data", "pv"))
    assert.strictEqual(nodeOrReason(cache, other), "a")
    cache.remove("default/first")
    assert.strictEqual(nodeOrReason(cache, podWithClaims("second", "data")), "a")
  })

  it("preempts the pod that uses the claim for one of higher priority", () => {
    const cache = cacheOfTwoNodes()
    bindClaim(cache, "data", volumeNamed("pv"), "ReadWriteOncePod")
    placePod(cache, podWithClaims("first", "data"), "b")
    const important = podWithClaims("second", "data")
    const decision = new Algorithm(cache, {
      profile: defaultProfile,
      percentageOfNodesToScore: 0,
      random: () => 0
    }).schedule(cache.describe({ ...important, spec: { ...important.spec, priority: 10 } }))
    if (decision._tag === "Bind") throw new Error(`bound to ${decision.node}`)
    assert.strictEqual(decision.nominated?.node, "b")
    assert.deepStrictEqual(
      decision.nominated?.victims.map(({ name }) => name),
      ["first"]
    )
  })

  it("places pods that write the same disk on different nodes", () => {
    const conflict = "0/1 nodes are available: 1 node(s) had no available disk."
    const cases: ReadonlyArray<readonly [object, object, boolean]> = [
      [{ awsElasticBlockStore: { volumeID: "v" } }, { awsElasticBlockStore: { volumeID: "v", readOnly: true } }, true],
      [{ awsElasticBlockStore: { volumeID: "v" } }, { awsElasticBlockStore: { volumeID: "w" } }, false],
      [{ gcePersistentDisk: { pdName: "d" } }, { gcePersistentDisk: { pdName: "d", readOnly: true } }, true],
      [
        { gcePersistentDisk: { pdName: "d", readOnly: true } },
        { gcePersistentDisk: { pdName: "d", readOnly: true } },
        false
      ],
      [{ iscsi: { iqn: "i", targetPortal: "x" } }, { iscsi: { iqn: "i", targetPortal: "y" } }, true],
      [{ iscsi: { iqn: "i", readOnly: true } }, { iscsi: { iqn: "i", readOnly: true } }, false],
      [{ rbd: { monitors: ["m", "n"], image: "i" } }, { rbd: { monitors: ["n"], image: "i", pool: "rbd" } }, true],
      [{ rbd: { monitors: ["m"], image: "i" } }, { rbd: { monitors: ["n"], image: "i" } }, false],
      [{ rbd: { monitors: ["m"], image: "i", pool: "p" } }, { rbd: { monitors: ["m"], image: "i" } }, false],
      [{ gcePersistentDisk: { pdName: "d" } }, { awsElasticBlockStore: { volumeID: "d" } }, false],
      [{ azureDisk: { diskURI: "d" } }, { azureDisk: { diskURI: "d" } }, false]
    ]
    for (const [there, incoming, conflicts] of cases) {
      const cache = new SchedulingCache()
      cache.setNode(nodeNamed("a"))
      placePod(cache, podWithVolumes("first", there), "a")
      const expected = conflicts ? conflict : "a"
      assert.strictEqual(nodeOrReason(cache, podWithVolumes("second", incoming)), expected, JSON.stringify(incoming))
    }
  })

  it("retries when the pod that used the claim is deleted", () =>
    withScheduler(({ addNode, cluster, pod }) =>
      Effect.gen(function* () {
        yield* addNode(nodeNamed("a"))
        const { spec, ...volume } = volumeNamed("pv")
        yield* cluster.create("PersistentVolume", { ...volume, spec: { ...spec, accessModes: ["ReadWriteOncePod"] } })
        yield* cluster.create("PersistentVolumeClaim", claimOf("data", "pv", "ReadWriteOncePod"))
        yield* cluster.create("Pod", podWithClaims("first", "data"))
        yield* Effect.sleep("1 second")
        yield* cluster.create("Pod", podWithClaims("second", "data"))
        yield* cluster.create("Pod", podWithClaims("bystander"))
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("second")).spec.nodeName)
        yield* cluster.delete("Pod", { namespace: "default", name: "bystander" }, { gracePeriodSeconds: 0 })
        yield* Effect.sleep("20 seconds")
        assert.isUndefined((yield* pod("second")).spec.nodeName)
        yield* cluster.delete("Pod", { namespace: "default", name: "first" }, { gracePeriodSeconds: 0 })
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* pod("second")).spec.nodeName, "a")
      })
    ))
})
