import { featureGatesOf, type Node, type Pod, releases } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { withDisruptionTarget } from "../../src/DisruptionTarget.ts"
import { podGcSettings } from "../../src/index.ts"
import { failedPatch, isOutOfService, isTerminated } from "../../src/podgc/PodGc.ts"
import { podsOutOfService, podsUnscheduled, terminatedSurplus } from "../../src/rules.ts"

const NOW = "2026-01-01T00:01:00Z"

const podOf = (
  name: string,
  status: NonNullable<Pod["status"]> = {},
  metadata: Pod["metadata"] = {},
  spec: Partial<Pod["spec"]> = {}
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: `uid-${name}`, ...metadata },
  spec: { containers: [], ...spec },
  status
})

const nodeOf = (ready: string | undefined, taints: ReadonlyArray<string> = []): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  spec: { taints: taints.map((key) => ({ key, effect: "NoExecute" })) },
  status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] }
})

const names = (pods: ReadonlyArray<Pod>) => pods.map(({ metadata }) => metadata.name)

describe("a terminated pod", () => {
  it("is one that neither waits, nor runs, nor is unknown: also one without a phase", () => {
    for (const phase of ["Pending", "Running", "Unknown"]) assert.isFalse(isTerminated(podOf("p", { phase })), phase)
    for (const phase of ["Succeeded", "Failed", ""]) assert.isTrue(isTerminated(podOf("p", { phase })), phase)
    assert.isTrue(isTerminated(podOf("p")))
    const { status: _, ...bare } = podOf("p")
    assert.isTrue(isTerminated(bare))
  })

  const evicted = { phase: "Failed", reason: "Evicted" }
  const pods = [
    podOf("young", { phase: "Failed" }, { creationTimestamp: "2026-01-01T00:00:09Z" }),
    podOf("twin-b", { phase: "Succeeded", reason: "Evicted" }, { creationTimestamp: "2026-01-01T00:00:05Z" }),
    podOf("twin-a", { phase: "Failed", reason: "OOM" }, { creationTimestamp: "2026-01-01T00:00:05Z" }),
    podOf("evicted", evicted, { creationTimestamp: "2026-01-01T00:00:09Z" }),
    podOf("timeless", { phase: "Failed" }),
    podOf("evicted-before", evicted, { creationTimestamp: "2026-01-01T00:00:08Z" })
  ]

  it("is deleted beyond the threshold: evicted first, then by age, then by name", () => {
    const order = ["evicted-before", "evicted", "timeless", "twin-a", "twin-b", "young"]
    assert.deepStrictEqual(names(terminatedSurplus(pods, 5)), order.slice(0, 1))
    assert.deepStrictEqual(names(terminatedSurplus(pods, 1)), order.slice(0, 5))
    assert.deepStrictEqual(names(terminatedSurplus(pods, 6)), [])
    assert.deepStrictEqual(names(terminatedSurplus(pods, 7)), [])
  })

  it("stays with a threshold of 0 or less", () => {
    assert.deepStrictEqual([terminatedSurplus(pods, 0), terminatedSurplus(pods, -1)], [[], []])
  })

  it("is sorted, independent of the order of the list", () => {
    const many = [
      ...pods,
      podOf("twin-a", { phase: "Failed" }, { creationTimestamp: "2026-01-01T00:00:05Z", namespace: "another" }),
      podOf("twin-a", { phase: "Failed" }, { creationTimestamp: "2026-01-01T00:00:05Z", namespace: "zoo" })
    ]
    const place = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`
    const expected = terminatedSurplus(many, 1).map(place)
    fc.assert(
      fc.property(fc.shuffledSubarray(many, { minLength: many.length }), (listed) => {
        assert.deepStrictEqual(terminatedSurplus(listed, 1).map(place), expected)
      })
    )
  })
})

describe("a node out of service", () => {
  it("is tainted so and not Ready", () => {
    const taint = "node.kubernetes.io/out-of-service"
    assert.isTrue(isOutOfService(nodeOf("Unknown", [taint])))
    assert.isTrue(isOutOfService(nodeOf("False", ["other", taint])))
    assert.isTrue(isOutOfService(nodeOf(undefined, [taint])))
    assert.isFalse(isOutOfService(nodeOf("True", [taint])))
    assert.isFalse(isOutOfService(nodeOf("Unknown", ["other"])))
  })

  it("loses its terminating pods; a node that is not known, or in service, does not", () => {
    const pods = ["a", "b", "c", ""].map((nodeName) => podOf(`p-${nodeName}`, {}, {}, { nodeName }))
    const nodes = new Map([
      ["a", nodeOf("Unknown", ["node.kubernetes.io/out-of-service"])],
      ["b", nodeOf("Unknown")]
    ])
    assert.deepStrictEqual(names(podsOutOfService([...pods, podOf("p")], (name) => nodes.get(name))), ["p-a"])
    const { status: _, ...statusless } = podOf("q", {}, {}, { nodeName: "a" })
    assert.deepStrictEqual(names(podsOutOfService([statusless, ...pods], (name) => nodes.get(name))), ["p-a", "q"])
  })
})

describe("terminating pods that no node has", () => {
  it("are those without a node's name", () => {
    const pods = [podOf("bare"), podOf("empty", {}, {}, { nodeName: "" }), podOf("bound", {}, {}, { nodeName: "a" })]
    assert.deepStrictEqual(names(podsUnscheduled(pods)), ["bare", "empty"])
  })
})

describe("the end of a pod that the collector deletes", () => {
  const target = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: NOW
  }

  it("is Failed, and an orphan says why", () => {
    const pod = podOf("p", { phase: "Running", message: "kept" }, { generation: 3 })
    const patch = failedPatch(pod, "orphaned", NOW)
    assert.deepNestedInclude(patch, {
      "metadata.uid": "uid-p",
      "status.phase": "Failed",
      "status.observedGeneration": 3
    })
    assert.deepNestedInclude(patch, { "status.conditions[0]": { ...target, observedGeneration: 3 } })
    assert.notNestedProperty(patch, "status.message")
    for (const reason of ["terminated", "out-of-service", "unscheduled"] as const) {
      const silent = failedPatch(pod, reason, NOW)
      assert.nestedPropertyVal(silent, "status.phase", "Failed")
      assert.notNestedProperty(silent, "status.conditions")
    }
    assert.notNestedProperty(failedPatch(pod, "orphaned", NOW, false), "status.conditions")
  })

  it("is not written where the pod has ended already", () => {
    for (const phase of ["Failed", "Succeeded"]) assert.isUndefined(failedPatch(podOf("p", { phase }), "orphaned", NOW))
  })

  it("says nothing of a generation that the pod does not have", () => {
    const patch = failedPatch(podOf("p", { phase: "Running" }), "orphaned", NOW)
    assert.notNestedProperty(patch, "status.observedGeneration")
    assert.deepNestedInclude(patch, { "status.conditions[0]": target })
  })

  it("sets the condition once, of no generation where the pod has none", () => {
    const plain = withDisruptionTarget(podOf("p"), target.reason, target.message, NOW)
    assert.deepStrictEqual(plain.conditions, [target])
    const { status: _, ...bare } = podOf("p", {}, { generation: 1 })
    const first = withDisruptionTarget(bare, "DeletionByPodGC", "PodGC: node no longer exists", NOW)
    assert.deepStrictEqual(first.conditions, [{ ...target, observedGeneration: 1 }])
    const again = withDisruptionTarget(
      { ...bare, status: first },
      target.reason,
      target.message,
      "2026-01-01T00:02:00Z"
    )
    assert.strictEqual(again, first)
  })
})

describe("settings of the collector", () => {
  it("are those of the release by default", () => {
    assert.strictEqual(podGcSettings().terminatedPodGCThreshold, 12_500)
    const off = { NodeOutOfServiceVolumeDetach: false, PodDisruptionConditions: false }
    const { disruptionTarget, outOfService } = podGcSettings({}, { ...featureGatesOf(releases["1.26"]), ...off })
    assert.deepStrictEqual([outOfService, disruptionTarget], [false, false])
    assert.isFalse(podGcSettings({}, featureGatesOf(releases["1.4"])).outOfService)
  })
})
