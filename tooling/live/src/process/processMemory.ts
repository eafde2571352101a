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
