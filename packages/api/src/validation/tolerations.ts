import type { Toleration } from "../objects/Affinity.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { validateLabelName } from "./labels.ts"
import { isValidLabelValue } from "./names.ts"
import { validateTaintEffect } from "./taintEffect.ts"

const checkOperator = (errors: ErrorList, toleration: Toleration, path: string): void => {
  const { operator = "", value = "" } = toleration
  switch (operator) {
    case "":
    case "Equal": {
      const faults = isValidLabelValue(value)
      // An invalid value is reported at the operator, as upstream.
      if (faults.length > 0) errors.invalid(`${path}.operator`, value, faults.join(";"))
      return
    }
    case "Exists":
      if (value !== "") errors.invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")
      return
    case "Lt":
    case "Gt":
      // The feature gate TaintTolerationComparisonOperators is off.
      errors.notSupported(`${path}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"])
      return
    default:
      errors.notSupported(`${path}.operator`, operator, ["Equal", "Exists"])
  }
}

/** Upstream: pkg/apis/core/validation/validation.go, ValidateTolerations. */
export const validateTolerations = (
  errors: ErrorList,
  tolerations: ReadonlyArray<Toleration> | undefined,
  path: string
): void => {
  tolerations?.forEach((toleration, index) => {
    const at = `${path}[${index}]`
    const { effect = "", key = "", operator = "", tolerationSeconds } = toleration
    if (key !== "") validateLabelName(errors, key, `${at}.key`)
    else if (operator !== "Exists") {
      errors.invalid(
        `${at}.operator`,
        typed(operator),
        'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      )
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.invalid(`${at}.effect`, typed(effect), "effect must be 'NoExecute' when `tolerationSeconds` is set")
    }
    checkOperator(errors, toleration, at)
    if (effect !== "") validateTaintEffect(errors, effect, `${at}.effect`)
  })
}

/** Returns a text that is equal for tolerations that differ only in their seconds. */
const identityOf = ({ effect = "", key = "", operator = "", value = "" }: Toleration): string =>
  JSON.stringify([key, operator, value, effect])

/** Validates an update: it may add tolerations and change their seconds, but not remove any. */
export const validateTolerationsUpdate = (
  errors: ErrorList,
  tolerations: ReadonlyArray<Toleration> | undefined,
  old: ReadonlyArray<Toleration> | undefined,
  path: string
): void => {
  if (tolerations === old) return
  const kept = new Set(tolerations?.map(identityOf))
  if (old?.some((stored) => !kept.has(identityOf(stored)))) {
    errors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds")
  } else validateTolerations(errors, tolerations, path)
}
