import type { Condition } from "../objects/Meta.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateLabelName } from "./labels.ts"
import { byteLength, patternText } from "./names.ts"

const maxReasonBytes = 1024
const maxMessageBytes = 32 * 1024

const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
const reasonText = patternText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB"
)
const reasonForm = new RegExp(`^${reasonPattern}$`)
const statuses = ["False", "True", "Unknown"]

/** Checks conditions of the common form. Upstream: apimachinery/pkg/apis/meta/v1/validation, ValidateConditions. */
export const checkConditions = (errors: ErrorList, conditions: ReadonlyArray<Condition>, at: string): void => {
  const types = new Set<string>()
  conditions.forEach((condition, index) => {
    const place = `${at}[${index}]`
    const { lastTransitionTime, message = "", observedGeneration = 0, reason = "", status = "", type = "" } = condition
    if (types.has(type)) errors.duplicate(`${place}.type`, type)
    types.add(type)
    validateLabelName(errors, type, `${place}.type`)
    if (!statuses.includes(status)) errors.notSupported(`${place}.status`, status, statuses)
    if (observedGeneration < 0)
      errors.invalid(`${place}.observedGeneration`, observedGeneration, "must be greater than or equal to zero")
    if (!lastTransitionTime) errors.required(`${place}.lastTransitionTime`)
    if (reason === "") errors.required(`${place}.reason`)
    else {
      if (!reasonForm.test(reason)) errors.invalid(`${place}.reason`, reason, reasonText)
      if (byteLength(reason) > maxReasonBytes) errors.tooLong(`${place}.reason`, maxReasonBytes)
    }
    if (byteLength(message) > maxMessageBytes) errors.tooLong(`${place}.message`, maxMessageBytes)
  })
}
