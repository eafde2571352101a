/** As many connections as a server takes in any case, and the files where the system sets no limit or does not tell it. */
const MANY = 16_384

/** How many files and sockets this process may have open. */
export const openFileLimit = (): number => {
  const { report } = process
  // Names of hosts would be looked up otherwise.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const limit = Number(userLimits?.open_files?.soft)
  return limit > 0 ? limit : MANY
}

/**
 * How many connections a server takes of so many files: half, since the store, the log, and connections of this process's own need
 * some too.
 */
export const connectionsOf = (files: number): number => Math.min(MANY, Math.max(16, Math.floor(files / 2)))
