import type { ErrorList } from "../ErrorList.ts"
import { validateLabelName } from "../labels.ts"
import { checkList } from "./lists.ts"

const maxConditions = 4

interface Bound {
  readonly bindingConditions?: ReadonlyArray<string>
  readonly bindingFailureConditions?: ReadonlyArray<string>
}

const required = (one: string, other: string) => `${one} are required to use ${other}`

/** Upstream: validateDeviceBindingParameters. */
export const checkBindingConditions = (errors: ErrorList, device: Bound, at: string): void => {
  const { bindingConditions = [], bindingFailureConditions = [] } = device
  const good = `${at}.bindingConditions`
  const bad = `${at}.bindingFailureConditions`
  checkList(errors, bindingConditions, good, maxConditions, validateLabelName)
  checkList(errors, bindingFailureConditions, bad, maxConditions, validateLabelName)
  const bindings = new Set<string>()
  bindingConditions.forEach((condition, index) => {
    if (bindings.has(condition)) errors.duplicate(`${good}[${index}]`, condition)
    bindings.add(condition)
  })
  const failures = new Set<string>()
  bindingFailureConditions.forEach((condition, index) => {
    if (failures.has(condition)) errors.duplicate(`${bad}[${index}]`, condition)
    failures.add(condition)
    if (bindings.has(condition)) {
      errors.invalid(`${bad}[${index}]`, condition, "bindingFailureConditions must not overlap with bindingConditions")
    }
  })
  if (bindings.size === 0 && failures.size > 0) {
    errors.invalid(good, device.bindingConditions ?? null, required("bindingConditions", "bindingFailureConditions"))
  }
  if (failures.size === 0 && bindings.size > 0) {
    const given = device.bindingFailureConditions ?? null
    errors.invalid(bad, given, required("bindingFailureConditions", "bindingConditions"))
  }
}
