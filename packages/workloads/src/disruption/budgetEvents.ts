import type { Pod, PodDisruptionBudget } from "@rollcall/api"
import type { BudgetStatus } from "./budgetStatus.ts"
import { goSelector } from "./goText.ts"

/** An Event of the disruption controller. Reasons and texts: upstream, pkg/controller/disruption/disruption.go. */
export interface BudgetEvent {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

/** The Event on a budget that selects no pod. */
export const noPodsEvent: BudgetEvent = { type: "Normal", reason: "NoPods", message: "No matching pods found" }

/** The Event on a budget whose expected number of pods cannot be computed. */
export const uncountableEvent = (problem: string): BudgetEvent => ({
  type: "Warning",
  reason: "CalculateExpectedPodCountFailed",
  message: `Failed to calculate the number of expected pods: ${problem}`
})

/** The Event on a pod that more than one budget selects. */
export const severalBudgetsEvent = (pod: Pod, chosen: PodDisruptionBudget): BudgetEvent => {
  const quoted = (text: string | undefined) => JSON.stringify(text)
  const name = `${quoted(pod.metadata.namespace)}/${quoted(pod.metadata.name)}`
  return {
    type: "Warning",
    reason: "MultiplePodDisruptionBudgets",
    message: `Pod ${name} matches multiple PodDisruptionBudgets.  Chose ${quoted(chosen.metadata.name)} arbitrarily.`
  }
}

/** The Events for a budget's status: on pods whose deletion did not happen, and on a budget of unmanaged pods. */
export const budgetEvents = (
  budget: PodDisruptionBudget,
  selected: ReadonlyArray<Pod>,
  status: Pick<BudgetStatus, "notDeleted" | "unmanaged">
): ReadonlyArray<BudgetEvent & { readonly about: Pod | PodDisruptionBudget }> => {
  const { namespace } = budget.metadata
  const overdue = new Set(status.notDeleted)
  const notDeleted = selected
    .filter(({ metadata }) => overdue.has(metadata.name ?? ""))
    .map((pod) => ({
      about: pod,
      type: "Warning" as const,
      reason: "NotDeleted",
      // Upstream's text has the budget's namespace in place of its name.
      message: `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`
    }))
  if (status.unmanaged.length === 0) return notDeleted
  const message = `Pods selected by this PodDisruptionBudget (selector: ${goSelector(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`
  return [...notDeleted, { about: budget, type: "Warning", reason: "UnmanagedPods", message }]
}
