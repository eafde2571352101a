import {
  forbidden,
  groupResourceOf,
  isPodReady,
  matchesLabelSelector,
  type Pod,
  type PodDisruptionBudget,
  resourceOf,
  type Status,
  tooManyRequests,
  unknownError
} from "@rollcall/api"

/**
 * The outcome of an eviction: the pod is deleted, or only this version of it that a budget leaves to evictions because it
 * is unready; it is deleted after one disruption of the budget has been used; or the eviction is refused.
 */
export type EvictionDecision =
  | { readonly _tag: "Delete"; readonly unreadyIn?: PodDisruptionBudget }
  | { readonly _tag: "DeleteWithBudget"; readonly budget: PodDisruptionBudget }
  | { readonly _tag: "Refuse"; readonly status: Status }

type BudgetStatus = NonNullable<PodDisruptionBudget["status"]>

/**
 * The maximum number of disrupted pods in a budget's status: evictions that were granted and that its controller has
 * not observed yet.
 */
const MAX_DISRUPTED_PODS = 2000

const budgetsResource = groupResourceOf(resourceOf("PodDisruptionBudget"))
const violation = "Cannot evict pod as it would violate the pod's disruption budget."

const deletePod: EvictionDecision = { _tag: "Delete" }
const refuse = (status: Status): EvictionDecision => ({ _tag: "Refuse", status })
/** The 429 for now; `retryAfterSeconds` 0 leaves it to the client when to retry. */
const notNow = (why: string, retryAfterSeconds: number): Status =>
  tooManyRequests(violation, retryAfterSeconds, [{ reason: "DisruptionBudget", message: why }])

/** The 429 while a budget, or a pod of it, changes. */
export const budgetInProgress = (name: string): Status =>
  notNow(`The disruption budget ${name} is still being processed by the server.`, 10)

/** Whether budgets do not apply to the pod: it does not run, or is being deleted already. */
export const isExemptFromBudgets = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined ||
  status?.phase === "Succeeded" ||
  status?.phase === "Failed" ||
  status?.phase === "Pending"

/**
 * Decides the eviction of a pod. `candidates` are all budgets of its namespace. Upstream:
 * pkg/registry/core/pod/storage/eviction.go.
 */
export const decideEviction = (pod: Pod, candidates: ReadonlyArray<PodDisruptionBudget>): EvictionDecision => {
  if (isExemptFromBudgets(pod)) return deletePod
  const matching = candidates.filter(({ spec }) => matchesLabelSelector(spec?.selector, pod.metadata.labels))
  const budget = matching[0]
  if (budget === undefined) return deletePod
  if (matching.length > 1) {
    return refuse(
      unknownError("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
    )
  }
  if (!isPodReady(pod) && isExemptWhenUnready(budget)) return { _tag: "Delete", unreadyIn: budget }
  return decideWithBudget(budget)
}

/** Whether the budget's unhealthyPodEvictionPolicy lets an unready pod be evicted without using a disruption. */
const isExemptWhenUnready = ({ spec, status }: PodDisruptionBudget): boolean => {
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

const decideWithBudget = (budget: PodDisruptionBudget): EvictionDecision => {
  const { generation = 0, name = "" } = budget.metadata
  const { disruptedPods = {}, disruptionsAllowed = 0, observedGeneration = 0 } = budget.status ?? {}
  if (observedGeneration < generation) return refuse(budgetInProgress(name))
  if (disruptionsAllowed < 0) return refuse(forbidden(budgetsResource, name, "pdb disruptions allowed is negative"))
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    return refuse(
      forbidden(budgetsResource, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    )
  }
  return disruptionsAllowed === 0 ? refuse(notNow(exhaustedText(budget), 0)) : { _tag: "DeleteWithBudget", budget }
}

const DISRUPTION_ALLOWED = "DisruptionAllowed"

const exhaustedText = ({ metadata: { name }, status }: PodDisruptionBudget): string => {
  const { conditions = [], currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  const text = `The disruption budget ${name} does not allow evicting pods currently`
  const condition = conditions.find(({ status: state, type }) => type === DISRUPTION_ALLOWED && state === "False")
  // Without a sync, the numbers of pods say nothing.
  if (condition?.message && condition.reason === "SyncFailed") {
    return `${text} because it failed sync: ${condition.message}`
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  return condition?.message ? `${text} (${condition.reason}): ${condition.message}` : text
}

/** Returns the conditions of a budget that allows no more disruption. Upstream: UpdateDisruptionAllowedCondition. */
const exhaustedConditions = (
  { conditions = [], observedGeneration }: BudgetStatus,
  nowText: string
): BudgetStatus["conditions"] => {
  const before = conditions.find(({ type }) => type === DISRUPTION_ALLOWED)
  const lastTransitionTime = (before?.status === "False" ? before.lastTransitionTime : undefined) ?? nowText
  const condition = {
    type: DISRUPTION_ALLOWED,
    status: "False",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime,
    reason: "InsufficientPods",
    message: ""
  } as const
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((other) => (other === before ? condition : other))
}

/**
 * Returns the budget with one allowed disruption less, and the pod among its disrupted pods. `nowText` is the time in
 * the form of the API.
 */
export const withDisruption = (budget: PodDisruptionBudget, podName: string, nowText: string): PodDisruptionBudget => {
  const { status = noDisruptions } = budget
  const disruptionsAllowed = status.disruptionsAllowed - 1
  const conditions = disruptionsAllowed === 0 ? exhaustedConditions(status, nowText) : status.conditions
  const disruptedPods = { ...status.disruptedPods, [podName]: nowText }
  return {
    ...budget,
    status: { ...status, disruptedPods, disruptionsAllowed, ...(conditions === undefined ? {} : { conditions }) }
  }
}

const noDisruptions: BudgetStatus = { disruptionsAllowed: 1, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
