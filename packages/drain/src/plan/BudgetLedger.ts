import { isPodReady, matchesLabelSelector, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import type { BudgetNumbers } from "./DrainPlan.ts"

interface Entry {
  budget: PodDisruptionBudget
  /** What the controller said at the beginning. */
  readonly healthyAtFirst: number
  readonly allowedAtFirst: number
  /** Its controller cannot tell, and allows nothing. */
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
    // A controller that failed has not observed anything; any other will have by the time that it matters.
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
 * Budgets as their controller would keep them while pods go and come: healthy pods are counted from what it last wrote, and it
 * never allows more than that.
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

  /** Those of the pod's namespace, as they are now. */
  near({ metadata }: Pod): ReadonlyArray<PodDisruptionBudget> {
    return (this.entries.get(metadata.namespace) ?? []).map(({ budget }) => budget)
  }

  /** Those that select the pod. */
  allOf(pod: Pod): ReadonlyArray<PodDisruptionBudget> {
    return this.entriesOf(pod).map(({ budget }) => budget)
  }

  /** The one that speaks for the pod, if it is one. */
  of(pod: Pod): PodDisruptionBudget | undefined {
    return this.entriesOf(pod)[0]?.budget
  }

  /** A pod has become ready, or is no longer counted. */
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

/** Whether a pod is one of a budget's healthy ones. */
export const isHealthy = (pod: Pod): boolean => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined
