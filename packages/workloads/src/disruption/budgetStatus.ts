import type { IntOrString } from "@rollcall/api"
import { scaledValue } from "../scaledValue.ts"

/** Evicted pods that still exist after this time count as healthy again. */
const DELETION_TIMEOUT_MS = 120_000

/** A pod that the budget selects. */
export interface BudgetedPod {
  readonly name: string
  readonly isReady: boolean
  readonly isTerminating: boolean
  /** Its controller, with the controller's desired number of pods; `name` need only differ between controllers. */
  readonly controller: { readonly name: string; readonly replicas: number } | undefined
}

/** The parts of a PodDisruptionBudget that decide its status. */
export interface Budget {
  readonly minAvailable?: IntOrString
  readonly maxUnavailable?: IntOrString
  /** When the eviction of each pod, by name, was granted: in milliseconds since the Unix epoch. */
  readonly disruptedPods: ReadonlyMap<string, number>
}

/** What a PodDisruptionBudget's status says, and what is left to do. */
export interface BudgetStatus {
  readonly expectedPods: number
  readonly desiredHealthy: number
  readonly currentHealthy: number
  readonly disruptionsAllowed: number
  readonly disruptedPods: ReadonlyMap<string, number>
  readonly condition: { readonly status: "True" | "False"; readonly reason: "SufficientPods" | "InsufficientPods" }
  /** Names of evicted pods that were not deleted in time. */
  readonly notDeleted: ReadonlyArray<string>
  /** Names of pods without a controller, if the budget depends on the desired number of pods. */
  readonly unmanaged: ReadonlyArray<string>
  /** When the first granted eviction expires, in milliseconds since the Unix epoch; undefined if there is none. */
  readonly recheckAtMs: number | undefined
}

/** The expected pods, how many of them must be healthy, and the names of those without a controller. */
interface Expected {
  readonly expected: number
  readonly desired: number
  readonly unmanaged: ReadonlyArray<string>
}

/** Whether the budget depends on the pods' controllers' desired numbers, not only on the existing pods. */
export const countsByScale = ({ maxUnavailable, minAvailable }: Budget): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === "string"

const expectedPodsOf = ({ maxUnavailable, minAvailable }: Budget, pods: ReadonlyArray<BudgetedPod>): Expected => {
  if (maxUnavailable === undefined && typeof minAvailable === "number") {
    return { expected: pods.length, desired: minAvailable, unmanaged: [] }
  }
  if (maxUnavailable === undefined && minAvailable === undefined) return { expected: 0, desired: 0, unmanaged: [] }
  const scales = new Map<string, number>()
  const unmanaged: Array<string> = []
  for (const { controller, name } of pods) {
    if (controller === undefined) unmanaged.push(name)
    else scales.set(controller.name, controller.replicas)
  }
  let expected = 0
  for (const replicas of scales.values()) expected += replicas
  const desired =
    maxUnavailable === undefined
      ? scaledValue(minAvailable ?? 0, expected, Math.ceil)
      : Math.max(0, expected - scaledValue(maxUnavailable, expected, Math.ceil))
  return { expected, desired, unmanaged }
}

/**
 * The disruptions that a PodDisruptionBudget allows, given all pods that it selects.
 * Upstream: pkg/controller/disruption/disruption.go.
 */
export const budgetStatus = (budget: Budget, pods: ReadonlyArray<BudgetedPod>, nowMs: number): BudgetStatus => {
  const disruptedPods = new Map<string, number>()
  const notDeleted: Array<string> = []
  let recheckAtMs: number | undefined
  let currentHealthy = 0
  for (const { isReady, isTerminating, name } of pods) {
    if (isTerminating) continue
    const disruptedAt = budget.disruptedPods.get(name)
    // A pod without a granted eviction counts as one whose eviction has expired.
    const deadline = disruptedAt === undefined ? Number.NEGATIVE_INFINITY : disruptedAt + DELETION_TIMEOUT_MS
    if (disruptedAt !== undefined && deadline >= nowMs) {
      disruptedPods.set(name, disruptedAt)
      recheckAtMs = Math.min(recheckAtMs ?? deadline, deadline)
    } else if (disruptedAt !== undefined) notDeleted.push(name)
    if (isReady && deadline <= nowMs) currentHealthy++
  }
  const { desired: desiredHealthy, expected: expectedPods, unmanaged } = expectedPodsOf(budget, pods)
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  return {
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    disruptedPods,
    condition:
      disruptionsAllowed > 0
        ? { status: "True", reason: "SufficientPods" }
        : { status: "False", reason: "InsufficientPods" },
    notDeleted,
    unmanaged,
    recheckAtMs
  }
}
