import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../objects/Policy.ts"
import { checkConditions } from "./conditions.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateAtMost100Percent, validateIntOrPercent } from "./intOrPercent.ts"
import { shownSelector, validateLabelSelector } from "./labels.ts"

const checkSpec = (errors: ErrorList, spec: PodDisruptionBudgetSpec = {}): void => {
  const { maxUnavailable, minAvailable, selector, unhealthyPodEvictionPolicy } = spec
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: shownSelector(selector),
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null
    }
    errors.invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set")
  }
  if (minAvailable !== undefined) {
    validateIntOrPercent(errors, minAvailable, "spec.minAvailable")
    validateAtMost100Percent(errors, minAvailable, "spec.minAvailable")
  }
  if (maxUnavailable !== undefined) {
    validateIntOrPercent(errors, maxUnavailable, "spec.maxUnavailable")
    validateAtMost100Percent(errors, maxUnavailable, "spec.maxUnavailable")
  }
  validateLabelSelector(errors, selector, "spec.selector")
  const policies = ["AlwaysAllow", "IfHealthyBudget"]
  if (unhealthyPodEvictionPolicy !== undefined && !policies.includes(unhealthyPodEvictionPolicy)) {
    errors.notSupported("spec.unhealthyPodEvictionPolicy", unhealthyPodEvictionPolicy, policies)
  }
}

/** Upstream: pkg/apis/policy/validation/validation.go. */
export const validatePodDisruptionBudget = (budget: PodDisruptionBudget): FieldErrors => {
  const errors = new ErrorList()
  checkSpec(errors, budget.spec)
  return errors.all
}

export const validatePodDisruptionBudgetUpdate = (
  budget: PodDisruptionBudget,
  old: PodDisruptionBudget
): FieldErrors => {
  const errors = new ErrorList()
  if (budget.spec !== old.spec) checkSpec(errors, budget.spec)
  return errors.all
}

/** Validates a status update. The metadata are checked as for every kind, and in no other way. */
export const validatePodDisruptionBudgetStatusUpdate = ({ status }: PodDisruptionBudget): FieldErrors => {
  const errors = new ErrorList()
  checkConditions(errors, status?.conditions ?? [], "status.conditions")
  const { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods } = status ?? {}
  errors.nonNegative("status.disruptionsAllowed", disruptionsAllowed)
  errors.nonNegative("status.currentHealthy", currentHealthy)
  errors.nonNegative("status.desiredHealthy", desiredHealthy)
  errors.nonNegative("status.expectedPods", expectedPods)
  return errors.all
}
