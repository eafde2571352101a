import type { CheckExpression, FieldErrors } from "@rollcall/api/validation"
import { compileDeviceSelector, MAX_SELECTOR_COST } from "@rollcall/cel"

/** Returns why an expression that selects devices is not valid. */
export const checkExpression: CheckExpression = (expression, at): FieldErrors => {
  const compiled = compileDeviceSelector(expression)
  if ("message" in compiled) {
    return [
      compiled.isInternal
        ? { type: "InternalError", field: at, badValue: "", detail: compiled.message }
        : { type: "FieldValueInvalid", field: at, badValue: expression, detail: compiled.message }
    ]
  }
  return compiled.maxCost > MAX_SELECTOR_COST
    ? [{ type: "FieldValueForbidden", field: at, badValue: "", detail: "too complex, exceeds cost limit" }]
    : []
}
