import { lstatSync } from "node:fs"
import { hostname } from "node:os"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { entriesOf, labelOf, type OwnedEntry } from "./EntryOwner.ts"
import { whileLocked } from "./fileLock.ts"
import type { Kubeconfig } from "./Kubeconfig.ts"
import { formatKubeconfig } from "./kubeconfigFor.ts"
import { isSameProcess, type Processes, processesOf } from "./Processes.ts"
import { parseKubeconfig } from "./parseKubeconfig.ts"
import { fileProblem } from "./problems.ts"
import { presentText, replaceFile, replacementObstacle } from "./replaceFile.ts"

/** The processes of this machine. */
export const localProcesses = (): Processes => processesOf(hostname(), process.pid)

/** The entries that Rollcall wrote before entries had owners. */
const legacyEntries: ReadonlySet<string> = new Set(["clusters/rollcall", "contexts/rollcall", "users/kubernetes-admin"])

/** Returns why an entry must not be overwritten; undefined if it may be. */
const overwriteObstacle = (entry: OwnedEntry, { isRunning, self }: Processes): string | undefined => {
  const { owner } = entry
  if (owner === undefined) return legacyEntries.has(labelOf(entry)) ? undefined : `holds ${labelOf(entry)}`
  const isOther = owner.host === self.host && !isSameProcess(owner, self)
  return isOther && isRunning(owner)
    ? `is of the cluster ${owner.cluster}, which runs (process ${owner.process})`
    : undefined
}

const HINT = "it is not overwritten: name another file, or move this one away"

/**
 * Returns why a kubeconfig must not replace the file at a path: it is a symbolic link, which may lead to another user's
 * file, or it holds more than entries of Rollcall's own clusters (`ownedKubeconfig`) of which none runs. Returns
 * undefined if it may.
 */
export const kubeconfigObstacle = (
  file: string,
  processes: Processes = localProcesses()
): Effect.Effect<InvalidInput | undefined, InvalidInput> =>
  Effect.try({
    try: () => {
      const status = lstatSync(file, { throwIfNoEntry: false })
      if (status === undefined) return undefined
      if (status.isSymbolicLink()) return invalid(file, "", "is a symbolic link: name the file that it leads to")
      const obstacle = replacementObstacle(file, process.geteuid?.())
      if (obstacle !== undefined) return invalid(file, "", obstacle)
      const text = presentText(file)
      if (text === "") return undefined
      const parsed = parseKubeconfig(file, text)
      if (Result.isFailure(parsed)) return invalid(file, "", `is no kubeconfig; ${HINT}`)
      const found = entriesOf(parsed.success.config).flatMap((entry) => overwriteObstacle(entry, processes) ?? [])
      return found[0] === undefined ? undefined : invalid(file, "", `${found[0]}; ${HINT}`)
    },
    catch: (cause) => fileProblem(file, cause)
  })

/**
 * Writes a file that holds this configuration alone: atomically, with mode 0600. Does not follow a symbolic link, and
 * replaces only a kubeconfig of Rollcall's own (`kubeconfigObstacle`).
 */
export const writeKubeconfig = (
  file: string,
  config: Kubeconfig,
  processes: Processes = localProcesses()
): Effect.Effect<void, InvalidInput> =>
  whileLocked(
    file,
    processes,
    Effect.gen(function* () {
      const obstacle = yield* kubeconfigObstacle(file, processes)
      if (obstacle !== undefined) return yield* obstacle
      yield* Effect.try({
        try: () => replaceFile(file, formatKubeconfig(config)),
        catch: (cause) => fileProblem(file, cause)
      })
    })
  )

/** Writes a kubeconfig in place of any other, atomically, with mode 0600. */
export const replaceKubeconfig = (file: string, config: Kubeconfig): Effect.Effect<void, InvalidInput> =>
  Effect.try({
    try: () => replaceFile(file, formatKubeconfig(config)),
    catch: (cause) => fileProblem(file, cause)
  })
