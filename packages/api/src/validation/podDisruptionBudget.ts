import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../objects/Policy.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateAtMost100Percent, validateIntOrPercent } from "./intOrPercent.ts"
import { shownSelector, validateLabelSelector } from "./labels.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { nameIsPathSegment } from "./names.ts"

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
  // The kind's own rules leave metadata out; the generic ones, which run after them, accept any segment of a path.
  if (errors.size === 0) validateObjectMeta(errors, budget.metadata, { namespaced: true, name: nameIsPathSegment })
  return errors.all
}

export const validatePodDisruptionBudgetUpdate = (
  budget: PodDisruptionBudget,
  old: PodDisruptionBudget
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, budget.metadata, old.metadata)
  if (budget.spec !== old.spec) checkSpec(errors, budget.spec)
  return errors.all
}

export const validatePodDisruptionBudgetStatusUpdate = (
  budget: PodDisruptionBudget,
  old: PodDisruptionBudget
): FieldErrors => {
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, budget.metadata, old.metadata)
  const { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods } = budget.status ?? {}
  errors.nonNegative("status.disruptionsAllowed", disruptionsAllowed)
  errors.nonNegative("status.currentHealthy", currentHealthy)
  errors.nonNegative("status.desiredHealthy", desiredHealthy)
  errors.nonNegative("status.expectedPods", expectedPods)
  return errors.all
}
