import { existsSync } from "node:fs"
import { type InvalidInput, invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Document, parseDocument } from "yaml"
import { type EntryOwner, entriesOf } from "./EntryOwner.ts"
import { whileLocked } from "./fileLock.ts"
import type { Kubeconfig } from "./Kubeconfig.ts"
import { ownedKubeconfig } from "./kubeconfigFor.ts"
import { isSameProcess, type Processes } from "./Processes.ts"
import { parseKubeconfig } from "./parseKubeconfig.ts"
import { fileProblem } from "./problems.ts"
import { linkTarget, presentText, replaceFile, replacementObstacle } from "./replaceFile.ts"
import {
  addEntries,
  chooseName,
  formatDocument,
  labelOf,
  onlyOwnEntriesDiffer,
  removeStaleEntries
} from "./sharedEntries.ts"
import { localProcesses } from "./writeKubeconfig.ts"

/** The location of a cluster's entries in a shared kubeconfig. */
export interface SharedEntries {
  readonly file: string
  /** The name of the cluster, the user and the context. */
  readonly name: string
}

export interface ShareOptions {
  /** The files of KUBECONFIG, or `~/.kube/config` (`kubeconfigFiles`). */
  readonly files: ReadonlyArray<string>
  /** The wanted name of the entries; the default is `rollcall`, or the first free one of `rollcall-2`, … */
  readonly name?: string | undefined
  readonly processes?: Processes
}

/**
 * Returns the file that kubectl would change: the first that exists, otherwise the last. Upstream: clientcmd/config.go
 * GetDefaultFilename.
 */
const fileToChange = (files: ReadonlyArray<string>): string =>
  files.find((file) => existsSync(file)) ?? files.at(-1) ?? ""

const readConfig = (file: string): Kubeconfig => {
  const parsed = parseKubeconfig(file, presentText(file))
  if (Result.isFailure(parsed)) throw parsed.failure
  return parsed.success.config
}

/** Reads the other files: they may hide, or be hidden by, an entry of the same name. */
const readOthers = (files: ReadonlyArray<string>, changed: string) =>
  files.filter((file) => file !== changed && existsSync(file)).map(readConfig)

const contextsOf = (configs: ReadonlyArray<Kubeconfig>): ReadonlySet<string> =>
  new Set(configs.flatMap(({ contexts }) => (contexts ?? []).map(({ name }) => name)))

/** Chooses the name of the entries; throws the obstacle. */
const chooseNameIn = ({ files, name: wanted, processes }: Required<Omit<ShareOptions, "name">> & ShareOptions) => {
  const file = fileToChange(files)
  const obstacle = replacementObstacle(linkTarget(file), process.geteuid?.())
  if (obstacle !== undefined) throw invalid(file, "", obstacle)
  const config = readConfig(file)
  const others = readOthers(files, file)
  const isStale = (owner: EntryOwner) => isSameProcess(owner, processes.self) || !processes.isRunning(owner)
  const name = chooseName(wanted, [config, ...others].flatMap(entriesOf), isStale)
  if (Result.isSuccess(name)) return { name: name.success, file, config, others, isStale }
  const { owner } = name.failure
  const found = owner === undefined ? "is not Rollcall's" : `is of a cluster that runs (process ${owner.process})`
  throw invalid(file, "", `has ${labelOf(name.failure)}, which ${found}; give this cluster another name with --name`)
}

/** Writes the changed document, unless that would change anything that is not Rollcall's. */
const save = (file: string, before: string, document: Document): void => {
  const after = formatDocument(document)
  if (!onlyOwnEntriesDiffer(before, after)) {
    throw invalid(file, "", "cannot be written again without a change to entries of others: it is left alone")
  }
  replaceFile(linkTarget(file), after)
}

/** Runs under the lock of the changed file. */
const runLocked = <A>(file: string, processes: Processes, act: () => A): Effect.Effect<A, InvalidInput> =>
  whileLocked(file, processes, Effect.try({ try: act, catch: (cause) => fileProblem(file, cause) }))

/** Returns the name that `shareKubeconfig` would give a cluster's entries; fails with the obstacle. Changes nothing. */
export const sharedName = ({ processes = localProcesses(), ...options }: ShareOptions) =>
  Effect.try({
    try: (): SharedEntries => {
      const { file, name } = chooseNameIn({ ...options, processes })
      return { file, name }
    },
    catch: (cause) => fileProblem(fileToChange(options.files), cause)
  })

/**
 * Adds the entries of a cluster, which this process runs, to a shared kubeconfig, and makes its context the current
 * one. It writes under kubectl's lock, atomically, through symbolic links, with mode 0600. Other entries and comments
 * are kept; entries of Rollcall clusters that no process runs any more are removed. When this is not possible it fails
 * and writes nothing.
 */
export const shareKubeconfig = (
  config: Kubeconfig,
  { processes = localProcesses(), ...options }: ShareOptions
): Effect.Effect<SharedEntries, InvalidInput> =>
  Effect.suspend(() => {
    const file = fileToChange(options.files)
    return runLocked(file, processes, () => {
      const {
        config: present,
        isStale,
        name,
        others
      } = chooseNameIn({ ...options, files: [...options.files], processes })
      const before = presentText(file)
      const document = parseDocument(before)
      removeStaleEntries(document, present, isStale, contextsOf(others))
      const current = document.get("current-context")
      const previous = typeof current === "string" && current !== "" ? { previousContext: current } : {}
      const unchangeableSection = addEntries(
        document,
        ownedKubeconfig(config, { cluster: name, ...processes.self, ...previous })
      )
      if (unchangeableSection !== undefined)
        throw invalid(file, unchangeableSection, "is no list, but refers to one: nothing is added to it")
      save(file, before, document)
      return { file, name }
    })
  })

/**
 * Removes a cluster's entries, and those of clusters that no process runs any more. The context that was current before
 * them becomes current again, unless another one is current by now.
 */
export const unshareKubeconfig = (
  { file, name }: SharedEntries,
  { files, processes = localProcesses() }: Pick<ShareOptions, "files" | "processes">
): Effect.Effect<void, InvalidInput> =>
  runLocked(file, processes, () => {
    if (!existsSync(file)) return
    const before = presentText(file)
    const document = parseDocument(before)
    const isStale = (owner: EntryOwner) =>
      isSameProcess(owner, processes.self) ? owner.cluster === name : !processes.isRunning(owner)
    removeStaleEntries(document, readConfig(file), isStale, contextsOf(readOthers(files, file)))
    save(file, before, document)
  })
