import type { IntOrString } from "@rollcall/api"
import { scaledValue } from "../scaledValue.ts"

/** Evicted pods that still exist after this time count as healthy again. */
const DELETION_TIMEOUT_MS = 120_000

/** A pod that the budget selects. */
export interface BudgetedPod {
  readonly name: string
  readonly isReady: boolean
  readonly isTerminating: boolean
  /** Its controller, and the controller's desired number of pods. */
  readonly controller: { readonly name: string; readonly replicas: number } | undefined
}

export interface Budget {
  readonly minAvailable?: IntOrString
  readonly maxUnavailable?: IntOrString
  /** When the eviction of a pod was granted, in milliseconds. */
  readonly disruptedPods: ReadonlyMap<string, number>
}

export interface BudgetStatus {
  readonly expectedPods: number
  readonly desiredHealthy: number
  readonly currentHealthy: number
  readonly disruptionsAllowed: number
  readonly disruptedPods: ReadonlyMap<string, number>
  readonly condition: { readonly status: "True" | "False"; readonly reason: "SufficientPods" | "InsufficientPods" }
  /** Evicted pods that were not deleted in time. */
  readonly notDeleted: ReadonlyArray<string>
  /** Pods without a controller, if the budget depends on the desired number of pods. */
  readonly unmanaged: ReadonlyArray<string>
  /** When a granted eviction expires. */
  readonly recheckAtMs: number | undefined
}

interface Expected {
  readonly expected: number
  readonly desired: number
  readonly unmanaged: ReadonlyArray<string>
}

/** Whether the budget depends on the pods' controllers' desired numbers, not only on the existing pods. */
export const countsByScale = ({ maxUnavailable, minAvailable }: Budget): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === "string"

const expectedOf = ({ maxUnavailable, minAvailable }: Budget, pods: ReadonlyArray<BudgetedPod>): Expected => {
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
    const deadline = disruptedAt === undefined ? Number.NEGATIVE_INFINITY : disruptedAt + DELETION_TIMEOUT_MS
    if (disruptedAt !== undefined && deadline >= nowMs) {
      disruptedPods.set(name, disruptedAt)
      recheckAtMs = Math.min(recheckAtMs ?? deadline, deadline)
    } else if (disruptedAt !== undefined) notDeleted.push(name)
    if (isReady && deadline <= nowMs) currentHealthy++
  }
  const { desired: desiredHealthy, expected: expectedPods, unmanaged } = expectedOf(budget, pods)
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
