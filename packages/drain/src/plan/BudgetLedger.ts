import { isPodReady, matchesLabelSelector, type Pod, type PodDisruptionBudget } from "@rollcall/api"
import type { BudgetNumbers } from "./DrainPlan.ts"

/** A budget, with its current status in the plan. */
interface Entry {
  budget: PodDisruptionBudget
  /** `status.currentHealthy` of the snapshot. */
  readonly healthyAtFirst: number
  /** `status.disruptionsAllowed` of the snapshot. */
  readonly allowedAtFirst: number
  /** The disruption controller failed to compute the budget, and allows no disruption. */
  readonly failed: boolean
}

/** The numbers of a status; absent ones count as 0. */
const statusNumbers = ({ status }: PodDisruptionBudget) => ({
  disruptionsAllowed: status?.disruptionsAllowed ?? 0,
  currentHealthy: status?.currentHealthy ?? 0,
  desiredHealthy: status?.desiredHealthy ?? 0,
  expectedPods: status?.expectedPods ?? 0
})

/** A budget's name and numbers, for the plan. */
export const numbersOf = (budget: PodDisruptionBudget): BudgetNumbers => ({
  namespace: budget.metadata.namespace ?? "",
  name: budget.metadata.name ?? "",
  ...statusNumbers(budget)
})

const isFailed = ({ status }: PodDisruptionBudget): boolean =>
  status?.conditions?.some(({ reason, type }) => type === "DisruptionAllowed" && reason === "SyncFailed") ?? false

const entryOf = (budget: PodDisruptionBudget): Entry => {
  const failed = isFailed(budget)
  const status = {
    ...budget.status,
    ...statusNumbers(budget),
    // The eviction API refuses while the generation is not observed. The plan assumes that the controller observes it
    // before the first eviction, unless its last sync failed.
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
 * The budgets of a plan. Their status is updated as the disruption controller would do it whenever a pod becomes healthy
 * or stops being so. The counts start from the status in the snapshot, and so does disruptionsAllowed: it never exceeds
 * its first value plus the healthy pods gained.
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
  inNamespaceOf({ metadata }: Pod): ReadonlyArray<PodDisruptionBudget> {
    return (this.entries.get(metadata.namespace) ?? []).map(({ budget }) => budget)
  }

  /** The budgets that select the pod. */
  selecting(pod: Pod): ReadonlyArray<PodDisruptionBudget> {
    return this.entriesOf(pod).map(({ budget }) => budget)
  }

  /** The first budget that selects the pod; undefined if none does. The API refuses the eviction if several do. */
  firstSelecting(pod: Pod): PodDisruptionBudget | undefined {
    return this.entriesOf(pod)[0]?.budget
  }

  /** Counts, for all budgets that select the pod, one healthy pod more (1) or less (-1). */
  countHealthy(pod: Pod, change: 1 | -1): void {
    for (const entry of this.entriesOf(pod)) {
      const status = statusNumbers(entry.budget)
      const currentHealthy = status.currentHealthy + change
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
