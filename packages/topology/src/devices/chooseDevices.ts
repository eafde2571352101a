import * as Result from "effect/Result"
import { maskOf, type NumaMask } from "../masks.ts"
import { type Device, hasNumaAffinity } from "./deviceHints.ts"

/** A container's request of devices of one resource, and what can serve it. */
export interface DeviceRequest {
  readonly resource: string
  readonly count: number
  /** The nodes of the merged hint; undefined means any. */
  readonly mask: NumaMask | undefined
  readonly all: ReadonlyArray<Device>
  readonly inUse: ReadonlySet<string>
  /** The devices of the pod's earlier init containers, which are also in `inUse`. */
  readonly reusable: ReadonlySet<string>
}

/** Ranks devices on the mask's nodes first, then those on others, then those without NUMA nodes. */
export const rankOf = ({ numaNodes }: Device, mask: NumaMask): number =>
  numaNodes.length === 0 ? 2 : (maskOf(numaNodes) & mask) === 0n ? 1 : 0

/**
 * Chooses a container's devices: reusable ones first, then free ones on the mask's nodes. Otherwise the order of the
 * inventory decides, where upstream leaves it to the plugin or to chance. Upstream: devicemanager/manager.go
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
