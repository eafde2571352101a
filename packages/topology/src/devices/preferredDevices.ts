import { type DeviceRequest, rankOf } from "./chooseDevices.ts"
import { hasNumaAffinity } from "./deviceHints.ts"

/** What a plugin may choose of a container's devices. Upstream: PreferredAllocationRequest of the device plugin API, v1beta1. */
export interface DevicePreference {
  /** The ids to choose from, with those that must be among the chosen ones. */
  readonly available: ReadonlyArray<string>
  readonly mustInclude: ReadonlyArray<string>
  readonly size: number
}

/**
 * Returns what a plugin may choose; undefined if no choice is left. Devices of the pod's init containers stay, and if those on the hint's
 * nodes do not suffice, all of them do. Upstream: devicemanager/manager.go, devicesToAllocate.
 */
export const preferenceOf = ({ all, count, inUse, mask, reusable }: DeviceRequest): DevicePreference | undefined => {
  const reused = all.flatMap(({ id }) => (reusable.has(id) ? [id] : [])).slice(0, count)
  const free = all.filter(({ healthy, id }) => healthy && !inUse.has(id) && !reusable.has(id))
  const needed = count - reused.length
  if (needed <= 0 || free.length < needed) return undefined
  const isAligned = mask !== undefined && hasNumaAffinity(all)
  const aligned = isAligned ? free.flatMap((device) => (rankOf(device, mask) === 0 ? [device.id] : [])) : []
  if (needed === aligned.length) return undefined
  if (needed < aligned.length) return { available: [...aligned, ...reused], mustInclude: reused, size: count }
  const ids = free.map(({ id }) => id)
  return { available: [...ids, ...reused], mustInclude: [...reused, ...aligned], size: count }
}

/** Returns the devices of a container after its plugin has chosen: those that it must have, the plugin's, then the ones it had. */
export const withPreferred = (
  { available, mustInclude, size }: DevicePreference,
  preferred: ReadonlyArray<string>,
  had: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const allowed = new Set(available)
  return [...new Set([...mustInclude, ...preferred.filter((id) => allowed.has(id)), ...had])].slice(0, size)
}
