import type { Pod, PodDisruptionBudget } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { BudgetLedger, isHealthy, numbersOf } from "../src/plan/BudgetLedger.ts"

const podOf = (app: string, more: Partial<Pod["metadata"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "default", labels: { app }, ...more },
  spec: { containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
})

const budgetOf = (
  app: string,
  status?: PodDisruptionBudget["status"],
  more: Partial<PodDisruptionBudget> = {}
): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: app, namespace: "default", generation: 2 },
  spec: { selector: { matchLabels: { app } } },
  ...(status === undefined ? {} : { status }),
  ...more
})

const statusOf = (
  disruptionsAllowed: number,
  currentHealthy: number,
  desiredHealthy: number,
  expectedPods: number
) => ({
  disruptionsAllowed,
  currentHealthy,
  desiredHealthy,
  expectedPods
})

/** The disruptions that a budget allows after each change of its healthy pods. */
const allowedAfter = (
  status: PodDisruptionBudget["status"],
  changes: ReadonlyArray<1 | -1>,
  pod: Pod = podOf("web")
): ReadonlyArray<number | undefined> => {
  const ledger = new BudgetLedger([budgetOf("web", status)])
  return changes.map((change) => {
    ledger.countHealthy(pod, change)
    return ledger.firstSelecting(pod)?.status?.disruptionsAllowed
  })
}

describe("the disruptions that a budget allows while pods come and go", () => {
  it("are the healthy pods beyond those that it needs, and never fewer than 0", () => {
    assert.deepStrictEqual(allowedAfter(statusOf(1, 3, 2, 3), [-1, -1, 1, 1]), [0, 0, 0, 1])
  })

  it("are never more than its controller allowed with as many healthy pods", () => {
    // The controller still counts one pod as disrupted: 3 are healthy, 1 is needed, 1 may go.
    assert.deepStrictEqual(allowedAfter(statusOf(1, 3, 1, 3), [-1, 1, 1]), [0, 1, 2])
    // The controller has not yet observed that 2 are needed now.
    assert.deepStrictEqual(allowedAfter(statusOf(3, 3, 2, 3), [-1, 1]), [0, 1])
  })

  it("are 0 where no pods are expected, or the controller failed to count them", () => {
    assert.deepStrictEqual(allowedAfter(statusOf(0, 0, 0, 0), [1]), [0])
    const conditions = [{ type: "DisruptionAllowed", status: "False" as const, reason: "SyncFailed" }]
    assert.deepStrictEqual(allowedAfter({ ...statusOf(1, 1, 0, 2), conditions }, [1]), [0])
  })

  it("do not change with pods of other labels or namespaces", () => {
    const status = statusOf(1, 3, 2, 3)
    assert.deepStrictEqual(allowedAfter(status, [-1], podOf("db")), [undefined])
    const ledger = new BudgetLedger([budgetOf("web", status)])
    ledger.countHealthy(podOf("web", { namespace: "other" }), -1)
    ledger.countHealthy(podOf("db"), -1)
    assert.deepStrictEqual(
      ledger.all().map((budget) => numbersOf(budget)),
      [{ namespace: "default", name: "web", ...status }]
    )
  })
})

describe("the budgets of a cluster", () => {
  it("are found by namespace and selector, in their current state", () => {
    const ledger = new BudgetLedger([
      budgetOf("web", statusOf(1, 1, 0, 1)),
      budgetOf("db", statusOf(1, 1, 0, 1)),
      budgetOf("web", statusOf(1, 1, 0, 1), { metadata: { name: "elsewhere", namespace: "other" } }),
      // A budget without a selector selects nothing.
      { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "none", namespace: "default" } }
    ])
    const namesOf = (budgets: ReadonlyArray<PodDisruptionBudget>) => budgets.map(({ metadata }) => metadata.name)
    const pod = podOf("web")
    assert.deepStrictEqual(namesOf(ledger.all()), ["web", "db", "none", "elsewhere"])
    assert.deepStrictEqual(namesOf(ledger.inNamespaceOf(pod)), ["web", "db", "none"])
    assert.deepStrictEqual(namesOf(ledger.selecting(pod)), ["web"])
    ledger.countHealthy(pod, -1)
    assert.deepStrictEqual(
      ledger.all().map(({ status }) => status?.disruptionsAllowed),
      [0, 1, 0, 1]
    )
  })

  it("count as observed, except where the controller failed", () => {
    const observed = (reason: string, type = "DisruptionAllowed") => {
      const conditions = [
        { type: "Other", status: "True" as const, reason: "Other" },
        { type, status: "False" as const, reason }
      ]
      const [budget] = new BudgetLedger([
        budgetOf("web", { ...statusOf(0, 0, 0, 0), observedGeneration: 1, conditions })
      ]).all()
      return budget?.status?.observedGeneration
    }
    assert.strictEqual(observed("InsufficientPods"), 2)
    assert.strictEqual(observed("SyncFailed", "Custom"), 2)
    assert.strictEqual(observed("SyncFailed"), 1)
  })

  it("allow nothing before their controller wrote a status", () => {
    const budget = budgetOf("web")
    assert.deepStrictEqual(numbersOf(budget), { namespace: "default", name: "web", ...statusOf(0, 0, 0, 0) })
    const [known] = new BudgetLedger([budget, budgetOf("db", statusOf(0, 0, 0, 0))]).all()
    assert.deepStrictEqual(known?.status, { ...statusOf(0, 0, 0, 0), observedGeneration: 2 })
  })
})

it("count a pod as healthy that is ready and not being deleted", () => {
  assert.isTrue(isHealthy(podOf("web")))
  assert.isFalse(isHealthy(podOf("web", { deletionTimestamp: "2026-01-01T00:00:00Z" })))
  assert.isFalse(isHealthy({ ...podOf("web"), status: { phase: "Running" } }))
})
