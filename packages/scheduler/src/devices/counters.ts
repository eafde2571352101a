import {
  type Amount,
  addQuantity,
  compareQuantity,
  type Device,
  type ResourceSlice,
  subtractQuantity
} from "@rollcall/api"
import type { Pool } from "./pools.ts"
import { type DeviceId, deviceId } from "./usage.ts"

/** Calls `visit` for each counter that a device consumes. */
const eachCounter = (
  { consumesCounters = [] }: Device,
  visit: (key: string, amount: string | number) => void
): void => {
  for (const { counters = {}, counterSet } of consumesCounters) {
    for (const [name, { value }] of Object.entries(counters)) visit(`${counterSet}/${name}`, value)
  }
}

/** What is left of the counters of a pool beside the devices in use. */
const availableIn = (pool: Pool, isInUse: (id: DeviceId) => boolean): Map<string, Amount | string | number> => {
  const left = new Map<string, Amount | string | number>()
  for (const { counters = {}, name } of pool.counterSets.values()) {
    for (const [counter, { value }] of Object.entries(counters)) left.set(`${name}/${counter}`, value)
  }
  const subtractUsed = ({ spec }: ResourceSlice) => {
    for (const device of spec.devices ?? []) {
      if (!isInUse(deviceId(spec.driver, spec.pool.name, device.name))) continue
      eachCounter(device, (key, amount) => {
        const before = left.get(key)
        if (before !== undefined) left.set(key, subtractQuantity(before, amount))
      })
    }
  }
  for (const slice of [...pool.slices, ...pool.otherSlices]) subtractUsed(slice)
  return left
}

/**
 * What is left of the counters that devices of a pool share. Devices that are parts of one consume the same counters, so
 * that not all of them can be allocated at once.
 */
export class Counters {
  private readonly left = new Map<Pool, Map<string, Amount | string | number>>()
  private readonly isInUse: (id: DeviceId) => boolean

  constructor(isInUse: (id: DeviceId) => boolean) {
    this.isInUse = isInUse
  }

  /** Takes what a device consumes; takes nothing and returns false if a counter has less. */
  take(pool: Pool, device: Device): boolean {
    const left = this.left.get(pool) ?? availableIn(pool, this.isInUse)
    this.left.set(pool, left)
    const wanted = new Map<string, Amount | string | number>()
    eachCounter(device, (key, amount) => wanted.set(key, addQuantity(wanted.get(key) ?? "0", amount)))
    for (const [key, amount] of wanted) if (compareQuantity(left.get(key) ?? "0", amount) < 0) return false
    for (const [key, amount] of wanted) left.set(key, subtractQuantity(left.get(key) ?? "0", amount))
    return true
  }

  giveBack(pool: Pool, device: Device): void {
    const left = this.left.get(pool)
    if (left === undefined) return
    eachCounter(device, (key, amount) => left.set(key, addQuantity(left.get(key) ?? "0", amount)))
  }
}
