import { type Amount, addQuantity, type ResourceClaim, subtractQuantity } from "@rollcall/api"

/** Identifies a device of the cluster. */
export type DeviceId = string

export const deviceId = (driver: string, pool: string, device: string): DeviceId => `${driver}/${pool}/${device}`

/** Which devices are in use: entirely, or parts of their capacity by several claims. */
export interface DeviceUsage {
  /** Whether one claim has the whole device. */
  readonly isTaken: (id: DeviceId) => boolean
  /** Whether claims share the device. */
  readonly isShared: (id: DeviceId) => boolean
  /** What the claims that share the device use of a capacity. */
  readonly consumed: (id: DeviceId, capacity: string) => Amount | string | undefined
}

/** The parts of one device that claims share. */
interface SharedDevice {
  sharers: number
  readonly consumed: Map<string, Amount>
}

/**
 * Counts what the allocations of claims use. Devices with admin access are not counted: others may have them too.
 * Upstream: pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go.
 */
export class AllocatedDevices implements DeviceUsage {
  private readonly taken = new Map<DeviceId, number>()
  private readonly shared = new Map<DeviceId, SharedDevice>()

  readonly isTaken = (id: DeviceId): boolean => this.taken.has(id)
  readonly isShared = (id: DeviceId): boolean => this.shared.has(id)
  readonly consumed = (id: DeviceId, capacity: string): Amount | undefined =>
    this.shared.get(id)?.consumed.get(capacity)

  /** Replaces one version of a claim, if there was one, by another, if there is one. */
  replace(before: ResourceClaim | undefined, after: ResourceClaim | undefined): void {
    if (before?.status?.allocation === after?.status?.allocation) return
    this.count(before, -1)
    this.count(after, 1)
  }

  private count(claim: ResourceClaim | undefined, change: 1 | -1): void {
    for (const result of claim?.status?.allocation?.devices?.results ?? []) {
      if (result.adminAccess === true) continue
      const id = deviceId(result.driver, result.pool, result.device)
      if (result.shareID === undefined) {
        const count = (this.taken.get(id) ?? 0) + change
        if (count > 0) this.taken.set(id, count)
        else this.taken.delete(id)
      } else this.countShare(id, Object.entries(result.consumedCapacity ?? {}), change)
    }
  }

  private countShare(id: DeviceId, parts: ReadonlyArray<readonly [string, string | number]>, change: 1 | -1): void {
    const device = this.shared.get(id) ?? { sharers: 0, consumed: new Map() }
    device.sharers += change
    for (const [name, amount] of parts) {
      const before = device.consumed.get(name) ?? "0"
      device.consumed.set(name, change === 1 ? addQuantity(before, amount) : subtractQuantity(before, amount))
    }
    if (device.sharers > 0) this.shared.set(id, device)
    else this.shared.delete(id)
  }
}
