import * as Result from "effect/Result"
import { maskOf, type NumaMask } from "../masks.ts"
import { type Device, hasNumaAffinity } from "./deviceHints.ts"

export interface DeviceRequest {
  readonly resource: string
  readonly count: number
  /** The nodes of the merged hint; undefined: any. */
  readonly mask: NumaMask | undefined
  readonly all: ReadonlyArray<Device>
  readonly inUse: ReadonlySet<string>
  /** Devices of the pod's earlier init containers; they count as in use too. */
  readonly reusable: ReadonlySet<string>
}

/** Devices on the wanted nodes first, then on others, then without NUMA nodes. */
const rankOf = ({ numaNodes }: Device, mask: NumaMask): number =>
  numaNodes.length === 0 ? 2 : (maskOf(numaNodes) & mask) === 0n ? 1 : 0

/**
 * Chooses a container's devices: reusable ones, then free ones near the wanted nodes; otherwise in the order of the
 * inventory, where upstream leaves it to the plugin or to chance. Upstream: devicemanager/manager.go
 * devicesToAllocate, filterByAffinity.
 */
export const chooseDevices = (request: DeviceRequest): Result.Result<ReadonlyArray<string>, string> => {
  const { all, count, inUse, mask, resource, reusable } = request
  const healthy = all.filter((device) => device.healthy)
  if (healthy.length === 0) {
    return Result.fail(`no healthy devices present; cannot allocate unhealthy devices ${resource}`)
  }
  const reused = all.filter(({ id }) => reusable.has(id)).slice(0, count)
  const needed = count - reused.length
  const free = healthy.filter(({ id }) => !inUse.has(id) && !reusable.has(id))
  if (free.length < needed) {
    const numbers = `Requested: ${needed}, Available: ${free.length}`
    return Result.fail(`requested number of devices unavailable for ${resource}. ${numbers}`)
  }
  const ranked =
    mask === undefined || !hasNumaAffinity(all) ? free : [...free].sort((a, b) => rankOf(a, mask) - rankOf(b, mask))
  return Result.succeed([...reused, ...ranked.slice(0, needed)].map(({ id }) => id))
}
