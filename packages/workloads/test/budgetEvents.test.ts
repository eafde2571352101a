import type { Pod, PodDisruptionBudget } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { budgetEvents, noPodsEvent, severalBudgetsEvent, uncountableEvent } from "../src/disruption/budgetEvents.ts"

const pod = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns" },
  spec: { containers: [] }
})

const budget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", namespace: "ns" },
  spec: { selector: { matchLabels: { app: "web" } } }
}

describe("Events of the disruption controller", () => {
  it("have upstream's types, reasons and texts", () => {
    assert.deepStrictEqual(noPodsEvent, { type: "Normal", reason: "NoPods", message: "No matching pods found" })
    assert.deepStrictEqual(uncountableEvent("no scale"), {
      type: "Warning",
      reason: "CalculateExpectedPodCountFailed",
      message: "Failed to calculate the number of expected pods: no scale"
    })
    assert.deepStrictEqual(severalBudgetsEvent(pod("a"), budget), {
      type: "Warning",
      reason: "MultiplePodDisruptionBudgets",
      message: 'Pod "ns"/"a" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.'
    })
  })

  it("tell of pods that were to be deleted and were not, and of a budget with unmanaged pods", () => {
    const pods = [pod("a"), pod("b"), pod("c")]
    const events = budgetEvents(budget, pods, { notDeleted: ["b"], unmanaged: ["c"] })
    assert.deepStrictEqual(
      events.map(({ about, reason, type }) => [about.metadata.name, about.kind, type, reason]),
      [
        ["b", "Pod", "Warning", "NotDeleted"],
        ["b", "PodDisruptionBudget", "Warning", "UnmanagedPods"]
      ]
    )
    assert.strictEqual(events[0]?.message, "Pod was expected by PDB ns/ns to be deleted but it wasn't")
    assert.include(events[1]?.message, "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{")
  })

  it("say nothing where there is nothing to say", () => {
    assert.deepStrictEqual(budgetEvents(budget, [pod("a")], { notDeleted: [], unmanaged: [] }), [])
    assert.deepStrictEqual(budgetEvents(budget, [pod("a")], { notDeleted: ["gone"], unmanaged: [] }), [])
  })
})
