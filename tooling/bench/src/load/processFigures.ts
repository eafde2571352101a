import { readFileSync } from "node:fs"

/** Of USER_HZ, which is 100 wherever Linux runs. */
const TICK_SECONDS = 0.01

/** Returns the processor time of a process so far; NaN without /proc. */
export const cpuSeconds = (processId: number): number => {
  try {
    const fields = readFileSync(`/proc/${processId}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_SECONDS
  } catch {
    return Number.NaN
  }
}

/** Returns the resident memory of a process in MiB; NaN without /proc. */
export const residentMiB = (processId: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, "utf8"))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** Returns the load average of the machine, including this process; NaN without /proc. */
export const loadAverage = (): number => {
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0])
  } catch {
    return Number.NaN
  }
}
