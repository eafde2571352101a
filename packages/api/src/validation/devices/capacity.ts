import type { CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity } from "../../objects/ResourceSlice.ts"
import type { Quantity } from "../../objects/Scalars.ts"
import { addQuantity, canonicalQuantity, compareQuantity, value } from "../../quantity/Quantity.ts"
import type { ErrorList } from "../ErrorList.ts"
import { checkSet } from "./lists.ts"

const maxValues = 10

const checkValues = (
  errors: ErrorList,
  preset: Quantity,
  capacity: Quantity,
  values: ReadonlyArray<Quantity>,
  at: string
): void => {
  values.slice(1).forEach((next, index) => {
    if (compareQuantity(values[index] ?? 0, next) > 0) {
      errors.invalid(`${at}[${index + 1}]`, canonicalQuantity(next), "values must be sorted in ascending order")
    }
  })
  const keyOf = (each: Quantity) => String(value(each))
  checkSet(errors, values, at, { max: maxValues, keyOf }, (all, each, path) => {
    if (compareQuantity(each, capacity) <= 0) return
    all.invalid(path, canonicalQuantity(each), `option is larger than capacity value: ${canonicalQuantity(capacity)}`)
  })
  if (values.length <= maxValues && values.some((each) => compareQuantity(each, preset) === 0)) return
  errors.invalid(at, canonicalQuantity(preset), "default value is not valid according to the requestPolicy")
}

const checkStep = (errors: ErrorList, given: Quantity, min: Quantity, step: Quantity, at: string): void => {
  if ((value(given) - value(min)) % value(step) === 0) return
  const steps = `(${canonicalQuantity(step)}) from (${canonicalQuantity(min)})`
  errors.invalid(at, canonicalQuantity(given), `value is not a multiple of a given step ${steps}`)
}

const checkRange = (
  errors: ErrorList,
  preset: Quantity,
  capacity: Quantity,
  { max, min, step }: CapacityRequestPolicyRange,
  at: string
): void => {
  if (min === undefined) {
    errors.required(`${at}.min`, "required when validRange is defined")
    return
  }
  const larger = (field: string, shown: Quantity, what: string, limit: Quantity): void =>
    errors.invalid(`${at}.${field}`, canonicalQuantity(shown), `${what}: ${canonicalQuantity(limit)}`)
  if (compareQuantity(min, capacity) > 0) larger("min", min, "min is larger than capacity value", capacity)
  if (compareQuantity(preset, min) < 0) larger("min", preset, "default is less than min", min)
  if (max !== undefined) {
    if (compareQuantity(min, max) > 0) larger("max", min, "min is larger than max", max)
    if (compareQuantity(max, capacity) > 0) larger("max", max, "max is larger than capacity value", capacity)
    if (compareQuantity(preset, max) > 0) larger("max", preset, "default is more than max", max)
  }
  if (step === undefined) return
  const first = addQuantity(min, step)
  if (compareQuantity(first, capacity) > 0) {
    larger("step", step, `one step ${canonicalQuantity(first)} is larger than capacity value`, capacity)
  }
  checkStep(errors, preset, min, step, `${at}.step`)
  if (max !== undefined) checkStep(errors, max, min, step, `${at}.step`)
}

const checkPolicy = (errors: ErrorList, capacity: Quantity, policy: CapacityRequestPolicy, at: string): void => {
  const { default: preset, validRange, validValues = [] } = policy
  if (validValues.length > 0 && validRange !== undefined) {
    errors.forbidden(
      at,
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
    )
    return
  }
  const given = validValues.length > 0 ? "validValues" : "validRange"
  if (validValues.length === 0 && validRange === undefined) return
  if (preset === undefined) {
    errors.required(`${at}.default`, `required when ${given} is defined`)
    return
  }
  if (validRange === undefined) checkValues(errors, preset, capacity, validValues, `${at}.validValues`)
  else checkRange(errors, preset, capacity, validRange, `${at}.validRange`)
}

/** Checks a capacity; only devices that several claims share have a policy. Upstream: validateMultiAllocatableDeviceCapacity. */
export const checkCapacity = (errors: ErrorList, capacity: DeviceCapacity, at: string, isShared: boolean): void => {
  const { requestPolicy } = capacity
  if (requestPolicy === undefined) return
  if (isShared) checkPolicy(errors, capacity.value, requestPolicy, `${at}.requestPolicy`)
  else errors.forbidden(`${at}.requestPolicy`, "allowMultipleAllocations must be true")
}
