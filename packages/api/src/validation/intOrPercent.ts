import type { IntOrString } from "../objects/Scalars.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { isValidPercent } from "./names.ts"

/** A bad value of Go's IntOrString, which is shown as JSON. */
export const shownIntOrString = (value: IntOrString | undefined): unknown =>
  typeof value === "string" ? typed(value) : value

/**
 * Checks for a non-negative integer such as `5`, or a percentage such as `"25%"`. Upstream:
 * pkg/apis/apps/validation/validation.go.
 */
export const validateIntOrPercent = (errors: ErrorList, value: IntOrString, path: string): void => {
  if (typeof value === "number") errors.nonNegative(path, value)
  else errors.invalidEach(path, shownIntOrString(value), isValidPercent(value))
}

/** Returns the number of a percentage; undefined for integers and other texts. */
const percentOf = (value: IntOrString): number | undefined =>
  typeof value === "string" && isValidPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined

export const validateAtMost100Percent = (errors: ErrorList, value: IntOrString, path: string): void => {
  if ((percentOf(value) ?? 0) > 100) errors.invalid(path, shownIntOrString(value), "must not be greater than 100%")
}

/** Whether the number or the percentage is zero. */
export const isZero = (value: IntOrString): boolean => {
  if (typeof value === "number") return value === 0
  const percent = percentOf(value)
  // A text that is not a percentage counts as the number that Go's Atoi returns for it.
  return percent === undefined ? !/^[+-]?0*[1-9]\d*$/.test(value) : percent === 0
}
