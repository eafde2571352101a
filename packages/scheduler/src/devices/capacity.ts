import {
  type Amount,
  addQuantity,
  compareQuantity,
  type Device,
  makeQuantity,
  value as quantityValue
} from "@rollcall/api"

/** Upstream: staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/consumable_capacity.go. */

type Quantity = string | number | Amount
export type DeviceCapacity = NonNullable<Device["capacity"]>[string]
type Policy = NonNullable<DeviceCapacity["requestPolicy"]>
type ValidRange = NonNullable<Policy["validRange"]>

/** What a request asks of the capacities of a shared device. */
export type CapacityRequests = Readonly<Record<string, string | number>>

const atLeast = (requested: Quantity, { min, step }: ValidRange): Quantity => {
  if (min === undefined) return requested
  if (compareQuantity(requested, min) < 0) return min
  if (step === undefined) return requested
  const [from, unit] = [quantityValue(min), quantityValue(step)]
  const steps = Math.ceil((quantityValue(requested) - from) / unit)
  return makeQuantity(from + unit * steps, "BinarySI")
}

/** What a request takes of a capacity: what it asks for, rounded up as the device's policy says, or the default. */
const consumedOf = (requested: Quantity | undefined, { requestPolicy, value }: DeviceCapacity): Quantity => {
  if (requested === undefined) return requestPolicy?.default ?? value
  if (requestPolicy?.validRange?.min !== undefined) return atLeast(requested, requestPolicy.validRange)
  return requestPolicy?.validValues?.find((valid) => compareQuantity(requested, valid) <= 0) ?? requested
}

const isOffRange = (amount: Quantity, { max, min = 0, step }: ValidRange): boolean => {
  if (max !== undefined && compareQuantity(amount, max) > 0) return true
  return step !== undefined && (quantityValue(amount) - quantityValue(min)) % quantityValue(step) !== 0
}

const violates = (amount: Quantity, policy: Policy | undefined): boolean => {
  if (policy === undefined) return false
  if (policy.default !== undefined && compareQuantity(amount, policy.default) === 0) return false
  if (policy.validRange !== undefined) return isOffRange(amount, policy.validRange)
  const { validValues = [] } = policy
  return validValues.length > 0 && !validValues.some((valid) => compareQuantity(amount, valid) === 0)
}

/**
 * Whether a device has room for a request beside what is used of it already. A request for a capacity that the device
 * does not have fits nowhere. Upstream: CmpRequestOverCapacity.
 */
export const fitsCapacity = (
  { capacity = {} }: Device,
  requests: CapacityRequests | undefined,
  used: (name: string) => ReadonlyArray<Quantity>
): boolean => {
  for (const name of Object.keys(requests ?? {})) if (capacity[name] === undefined) return false
  return Object.entries(capacity).every(([name, offered]) => {
    const amount = consumedOf(requests?.[name], offered)
    if (violates(amount, offered.requestPolicy)) return false
    const total = used(name).reduce((sum: Quantity, part) => addQuantity(sum, part), amount)
    return compareQuantity(total, offered.value) <= 0
  })
}

/** What a request consumes of each capacity of a device. Upstream: GetConsumedCapacityFromRequest. */
export const consumedCapacity = (
  { capacity = {} }: Device,
  requests: CapacityRequests | undefined
): ReadonlyMap<string, Quantity> =>
  new Map(Object.entries(capacity).map(([name, offered]) => [name, consumedOf(requests?.[name], offered)]))
