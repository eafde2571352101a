import { isPodReady, matchesLabelSelector, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import type { BudgetNumbers } from "./DrainPlan.ts"

interface Entry {
  budget: PodDisruptionBudget
  /** `status.currentHealthy` of the snapshot. */
  readonly healthyAtFirst: number
  readonly allowedAtFirst: number
  /** The disruption controller failed to compute the budget, and allows no disruption. */
  readonly failed: boolean
}

const numberedStatus = ({ status }: PodDisruptionBudget) => ({
  disruptionsAllowed: status?.disruptionsAllowed ?? 0,
  currentHealthy: status?.currentHealthy ?? 0,
  desiredHealthy: status?.desiredHealthy ?? 0,
  expectedPods: status?.expectedPods ?? 0
})

export const numbersOf = (budget: PodDisruptionBudget): BudgetNumbers => ({
  namespace: budget.metadata.namespace ?? "",
  name: budget.metadata.name ?? "",
  ...numberedStatus(budget)
})

const isFailed = ({ status }: PodDisruptionBudget): boolean =>
  status?.conditions?.some(({ reason, type }) => type === "DisruptionAllowed" && reason === "SyncFailed") ?? false

const entryOf = (budget: PodDisruptionBudget): Entry => {
  const failed = isFailed(budget)
  const status = {
    ...budget.status,
    ...numberedStatus(budget),
    // A controller that failed has not observed the generation; any other will have by the time of the eviction.
    ...(failed ? {} : { observedGeneration: budget.metadata.generation ?? 0 })
  }
  return {
    budget: { ...budget, status },
    healthyAtFirst: status.currentHealthy,
    allowedAtFirst: status.disruptionsAllowed,
    failed
  }
}

/**
 * Budgets as the disruption controller updates them while pods come and go. Healthy pods are counted from the status
 * that it last wrote, and disruptionsAllowed never exceeds what it wrote.
 */
export class BudgetLedger {
  /** By namespace. */
  private readonly entries: ReadonlyMap<string | undefined, ReadonlyArray<Entry>>

  constructor(budgets: ReadonlyArray<PodDisruptionBudget>) {
    this.entries = Map.groupBy(budgets.map(entryOf), ({ budget }) => budget.metadata.namespace)
  }

  all(): ReadonlyArray<PodDisruptionBudget> {
    return [...this.entries.values()].flatMap((entries) => entries.map(({ budget }) => budget))
  }

  /** The current budgets of the pod's namespace. */
  near({ metadata }: Pod): ReadonlyArray<PodDisruptionBudget> {
    return (this.entries.get(metadata.namespace) ?? []).map(({ budget }) => budget)
  }

  /** The budgets that select the pod. */
  allOf(pod: Pod): ReadonlyArray<PodDisruptionBudget> {
    return this.entriesOf(pod).map(({ budget }) => budget)
  }

  /** The budget that selects the pod; undefined unless exactly one does. */
  of(pod: Pod): PodDisruptionBudget | undefined {
    return this.entriesOf(pod)[0]?.budget
  }

  /** Counts a pod that became ready (1), or that is no longer healthy (-1). */
  count(pod: Pod, healthy: 1 | -1): void {
    for (const entry of this.entriesOf(pod)) {
      const status = numberedStatus(entry.budget)
      const currentHealthy = status.currentHealthy + healthy
      const left = Math.min(
        currentHealthy - status.desiredHealthy,
        entry.allowedAtFirst + currentHealthy - entry.healthyAtFirst
      )
      const disruptionsAllowed = entry.failed || status.expectedPods <= 0 ? 0 : Math.max(0, left)
      entry.budget = {
        ...entry.budget,
        status: { ...entry.budget.status, ...status, currentHealthy, disruptionsAllowed }
      }
    }
  }

  private entriesOf({ metadata }: Pod): ReadonlyArray<Entry> {
    return (this.entries.get(metadata.namespace) ?? []).filter(({ budget }) =>
      matchesLabelSelector(budget.spec?.selector, metadata.labels)
    )
  }
}

/** Whether a budget counts the pod as healthy. */
export const isHealthy = (pod: Pod): boolean => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined
