import { type CgroupVersion, cgroupVersionOf, swapControllerAvailable } from "./cgroup.ts"
import { parseMemoryInfo } from "./parse/memoryInfo.ts"
import { parseSwaps, type SwapArea } from "./parse/swaps.ts"
import type { System } from "./System.ts"

export interface Swap {
  readonly areas: ReadonlyArray<SwapArea>
  /** The size of all swap in bytes: `SwapTotal`. */
  readonly total: number
  /** Whether a container's swap can be limited. */
  readonly controllerAvailable: boolean
}

export const readSwap = (system: System, version: CgroupVersion = cgroupVersionOf(system)): Swap => ({
  areas: parseSwaps(system.read("/proc/swaps") ?? ""),
  total: parseMemoryInfo(system.read("/proc/meminfo") ?? "").get("SwapTotal") ?? 0,
  controllerAvailable: swapControllerAvailable(system, version)
})
