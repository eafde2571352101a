import { parseMemoryInfo } from "./parse/memoryInfo.ts"
import type { System } from "./System.ts"

/** The machine's memory in bytes: `MemTotal`. Upstream: cadvisor machine/machine.go GetMachineMemoryCapacity. */
export const memoryCapacity = (system: System): number =>
  parseMemoryInfo(system.read("/proc/meminfo") ?? "").get("MemTotal") ?? 0
