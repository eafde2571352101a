import { parseMemoryInfo } from "./parse/memoryInfo.ts"
import type { System } from "./System.ts"

/** Bytes of memory that the machine has: `MemTotal`. Upstream: cadvisor machine/machine.go GetMachineMemoryCapacity. */
export const memoryCapacity = (system: System): number =>
  parseMemoryInfo(system.read("/proc/meminfo") ?? "").get("MemTotal") ?? 0
