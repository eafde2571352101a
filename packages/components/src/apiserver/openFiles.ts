import { readFileSync } from "node:fs"

/** The most connections of a server, and the assumed file limit if the system has or reports none. */
const MAX_CONNECTIONS = 16_384

/** Reads the limit from /proc on Linux, otherwise from Node's report, which takes a hundred times as long. */
const readLimit = (): unknown => {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
  } catch {
    const { report } = process
    // Without this the report resolves host names, which takes long.
    Object.assign(report, { excludeNetwork: true })
    const { userLimits } = report.getReport() as {
      readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
    }
    return userLimits?.open_files?.soft
  }
}

/** Returns the limit of open files and sockets of this process. */
export const openFileLimit = (): number => {
  const limit = Number(readLimit())
  return limit > 0 ? limit : MAX_CONNECTIONS
}

/**
 * Returns the connection limit for a file limit: half of it, because the store, the log and the process's own
 * connections need files too.
 */
export const connectionsOf = (files: number): number => Math.min(MAX_CONNECTIONS, Math.max(16, Math.floor(files / 2)))
