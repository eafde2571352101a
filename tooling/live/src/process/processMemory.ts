import { readFileSync } from "node:fs"

/** Returns the resident memory of a process in MiB, or 0 if /proc has no data of it. */
export const residentMiB = (pid: number): number => {
  try {
    const [, kib = "0"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return Number(kib) / 1024
  } catch {
    return 0
  }
}

const TICKS_PER_SECOND = 100
const USER_FIELD = 11

/** Returns the processor seconds that a process has used, or 0 if /proc has no data of it. */
export const processorSeconds = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
    return (Number(fields[USER_FIELD]) + Number(fields[USER_FIELD + 1])) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
