import { assert, describe, it } from "@effect/vitest"
import type { Pod, PodDisruptionBudget } from "@rollcall/api"
import { Algorithm, defaultProfile, type PreemptionLimits, SchedulingCache } from "../src/index.ts"
import { nodeNamed, podNamed } from "./withScheduler.ts"

const podOnNode = (node: string, pod: Pod, priority = 0): Pod => ({
  ...pod,
  spec: { ...pod.spec, nodeName: node, priority }
})

const budget = (
  name: string,
  disruptionsAllowed: number,
  matchLabels: Record<string, string>
): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace: "default" },
  spec: { selector: { matchLabels } },
  status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
})

interface Case {
  readonly nodes: ReadonlyArray<string>
  readonly pods: ReadonlyArray<Pod>
  readonly budgets?: ReadonlyArray<PodDisruptionBudget>
  readonly limits?: PreemptionLimits
  readonly incoming?: Pod
}

const importantPod = podNamed("high", "2", { priority: 100 })

const decide = ({ budgets = [], incoming = importantPod, limits, nodes, pods }: Case) => {
  const cache = new SchedulingCache()
  for (const name of nodes) cache.setNode(nodeNamed(name, { cpu: "2" }))
  for (const pod of pods) cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
  const decision = new Algorithm(cache, {
    profile: limits === undefined ? defaultProfile : { ...defaultProfile, preemption: limits },
    percentageOfNodesToScore: 0,
    random: () => 0,
    budgets: () => budgets
  }).schedule(cache.describe(incoming))
  if (decision._tag === "Bind") throw new Error(`bound to ${decision.node}`)
  return decision
}

const victimsOf = (decision: ReturnType<typeof decide>) => decision.nominated?.victims.map(({ name }) => name)

describe("preemption", () => {
  it("counts a victim against its budgets until one is used up, and not against those after it", () => {
    // The first pod breaks `none`, so `one` still has its allowance for the second, which then breaks nothing.
    const labels = { app: "web", tier: "front" }
    const decision = decide({
      nodes: ["a", "b"],
      pods: [
        podOnNode("a", podNamed("a-first", "1", {}, labels), 10),
        podOnNode("a", podNamed("a-second", "1", {}, { tier: "front" }), 5),
        podOnNode("b", podNamed("b-first", "1", {}, { app: "web" }), 10),
        podOnNode("b", podNamed("b-second", "1", {}, { app: "web" }), 5)
      ],
      budgets: [budget("none", 0, { app: "web" }), budget("one", 1, { tier: "front" })]
    })
    assert.strictEqual(decision.nominated?.node, "a")
    assert.deepStrictEqual(victimsOf(decision), ["a-first", "a-second"])
  })

  it("does not count a budget that selects everything", () => {
    const decision = decide({
      nodes: ["a", "b"],
      pods: [
        podOnNode("a", podNamed("guarded", "2", {}, { app: "web" }), 1),
        podOnNode("b", podNamed("free", "2", {}, { app: "db" }), 2)
      ],
      budgets: [{ ...budget("all", 0, {}) }]
    })
    assert.deepStrictEqual(victimsOf(decision), ["guarded"])
  })

  it("continues while all candidates would violate a budget", () => {
    const decision = decide({
      nodes: ["a", "b", "c"],
      pods: [
        podOnNode("a", podNamed("a1", "2", {}, { app: "web" })),
        podOnNode("b", podNamed("b1", "2", {}, { app: "web" })),
        podOnNode("c", podNamed("c1", "2"), 50)
      ],
      budgets: [budget("none", 0, { app: "web" })],
      limits: { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }
    })
    assert.deepStrictEqual(victimsOf(decision), ["c1"])
  })

  it("stops at the first candidate when it has reached its limit", () => {
    const pods = [podOnNode("a", podNamed("a1", "2"), 50), podOnNode("b", podNamed("b1", "2"), 1)]
    assert.deepStrictEqual(victimsOf(decide({ nodes: ["a", "b"], pods })), ["b1"])
    const limits = { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }
    assert.deepStrictEqual(victimsOf(decide({ nodes: ["a", "b"], pods, limits })), ["a1"])
  })

  it("evicts no pod if the profile has no preemption", () => {
    const cache = new SchedulingCache()
    cache.setNode(nodeNamed("a", { cpu: "2" }))
    cache.place(cache.describe(podOnNode("a", podNamed("a1", "2"))), "a")
    const decision = new Algorithm(cache, {
      profile: { ...defaultProfile, preemption: "none" },
      percentageOfNodesToScore: 0,
      random: () => 0
    }).schedule(cache.describe(importantPod))
    assert.deepInclude(decision, {
      _tag: "Unschedulable",
      message: "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate"
    })
  })

  it("preempts again when the nominated node is no longer feasible", () => {
    const dying: Pod = {
      ...podOnNode("a", podNamed("a1", "2"), 1),
      metadata: { name: "a1", namespace: "default", deletionTimestamp: "2026-01-01T00:00:00Z" },
      status: {
        conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }]
      }
    }
    const pinned = (node: string) => ({
      ...importantPod,
      spec: {
        ...importantPod.spec,
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] }]
            }
          }
        }
      },
      status: { nominatedNodeName: "a" }
    })
    const pods = [dying, podOnNode("b", podNamed("b1", "2"), 1)]
    assert.deepStrictEqual(victimsOf(decide({ nodes: ["a", "b"], pods, incoming: pinned("b") })), ["b1"])
    assert.include(
      decide({ nodes: ["a", "b"], pods, incoming: pinned("a") }).message,
      "preemption: not eligible due to a terminating pod on the nominated node."
    )
  })
})
