import { assert, describe, it } from "@effect/vitest"
import { SchedulingCache } from "../src/index.ts"
import { volumeZone } from "../src/rules.ts"
import { bindClaim, claimOf, nodeOrReason, podWithClaims, volumeNamed } from "./volumes.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const zone = "topology.kubernetes.io/zone"
const betaZone = "failure-domain.beta.kubernetes.io/zone"

const cacheOfTwoZones = () => {
  const cache = new SchedulingCache()
  for (const name of ["a", "b"]) cache.setNode(nodeNamed(name, { zone: name }))
  return cache
}

const withLabels = (labels: Record<string, string>) => {
  const cache = cacheOfTwoZones()
  bindClaim(cache, "data", volumeNamed("pv", labels))
  return nodeOrReason(cache, podWithClaims("p", "data"))
}

describe("VolumeZone", () => {
  it("sends a pod to the zone that its volume's labels name", () => {
    assert.strictEqual(withLabels({ [zone]: "b" }), "b")
    assert.strictEqual(withLabels({ [zone]: "c__b" }), "b")
    assert.strictEqual(withLabels({ [betaZone]: "b" }), "b")
    assert.strictEqual(withLabels({ [zone]: "c" }), "0/2 nodes are available: 2 node(s) had no available volume zone.")
    assert.strictEqual(
      withLabels({ [zone]: "a", "topology.kubernetes.io/region": "r" }),
      "0/2 nodes are available: 2 node(s) had no available volume zone."
    )
  })

  it("ignores a label with an empty zone", () => {
    assert.strictEqual(withLabels({ [zone]: "b__" }), "a")
    assert.strictEqual(withLabels({}), "a")
  })

  it("allows nodes without a zone to all pods", () => {
    const cache = new SchedulingCache()
    cache.setNode(nodeNamed("nowhere"))
    bindClaim(cache, "data", volumeNamed("pv", { [zone]: "c" }))
    assert.strictEqual(nodeOrReason(cache, podWithClaims("p", "data")), "nowhere")
  })

  it("requeues for new claims of the pod and at volumes whose labels changed", () => {
    const cache = cacheOfTwoZones()
    const info = cache.describe(podWithClaims("p", "data"))
    const hint = (event: Parameters<NonNullable<typeof volumeZone.hint>>[1]) => volumeZone.hint?.(info, event, cache)
    const before = volumeNamed("pv", { [zone]: "a__b" })
    const changed = (labels: Record<string, string>) =>
      hint({ _tag: "VolumeChanged", before, volume: volumeNamed("pv", labels) })
    assert.deepStrictEqual(
      [
        hint({ _tag: "ClaimChanged", before: undefined, claim: claimOf("data", "pv") }),
        hint({ _tag: "ClaimChanged", before: undefined, claim: claimOf("other", "pv") }),
        changed({ [zone]: "b__a", note: "x" }),
        changed({ [zone]: "c" }),
        hint({ _tag: "AssignedPodDeleted", pod: podNamed("q") })
      ],
      [true, false, false, true, false]
    )
  })
})
