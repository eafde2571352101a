import { readFileSync } from "node:fs"

/** As many connections as a server takes in any case, and the files where the system sets no limit or does not tell it. */
const MANY = 16_384

/** Linux says it in a file; the report, which all systems have, takes a hundred times as long. */
const told = (): unknown => {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
  } catch {
    const { report } = process
    // Names of hosts would be looked up otherwise.
    Object.assign(report, { excludeNetwork: true })
    const { userLimits } = report.getReport() as {
      readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
    }
    return userLimits?.open_files?.soft
  }
}

/** How many files and sockets this process may have open. */
export const openFileLimit = (): number => {
  const limit = Number(told())
  return limit > 0 ? limit : MANY
}

/**
 * How many connections a server takes of so many files: half, since the store, the log, and connections of this process's own need
 * some too.
 */
export const connectionsOf = (files: number): number => Math.min(MANY, Math.max(16, Math.floor(files / 2)))
