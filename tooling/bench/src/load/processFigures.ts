import { readFileSync } from "node:fs"

/** Of USER_HZ, which is 100 wherever Linux runs. */
const TICK_SECONDS = 0.01

/** Processor time that a process has spent so far; NaN where there is no /proc. */
export const cpuSeconds = (processId: number): number => {
  try {
    const fields = readFileSync(`/proc/${processId}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_SECONDS
  } catch {
    return Number.NaN
  }
}

/** Memory that a process has resident, in MiB; NaN where there is no /proc. */
export const residentMiB = (processId: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, "utf8"))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** How busy the machine is, ourselves included; NaN where there is no /proc. */
export const loadAverage = (): number => {
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0])
  } catch {
    return Number.NaN
  }
}
