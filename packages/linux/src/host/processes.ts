import { parseRunning } from "./parse/processes.ts"
import type { System } from "./System.ts"

export interface ProcessNumbers {
  readonly limit: number
  readonly running: number
}

/** The number of processes and threads, and the limit on it. Upstream: pkg/kubelet/stats/pidlimit/pidlimit_linux.go. */
export const readProcesses = (system: System): ProcessNumbers | undefined => {
  const limits = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"].flatMap((path) => {
    const text = system.read(path)
    return text !== undefined && /^\d+$/.test(text) ? [Number(text)] : []
  })
  const running = parseRunning(system.read("/proc/loadavg") ?? "")
  return limits.length === 0 || running === undefined ? undefined : { limit: Math.min(...limits), running }
}
