import { readFileSync } from "node:fs"

/** The resident memory of a process in MiB; 0 where /proc does not tell. */
export const residentMiB = (pid: number): number => {
  try {
    const [, kib = "0"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return Number(kib) / 1024
  } catch {
    return 0
  }
}
