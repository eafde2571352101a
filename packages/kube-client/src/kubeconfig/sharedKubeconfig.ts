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
import { addEntries, chooseName, formatDocument, isSameBesides, labelOf, withdrawEntries } from "./sharedEntries.ts"
import { localProcesses } from "./writeKubeconfig.ts"

/** Where a cluster's entries are in a kubeconfig that others share. */
export interface SharedEntries {
  readonly file: string
  /** Of the cluster, the user and the context. */
  readonly name: string
}

export interface ShareOptions {
  /** The files of KUBECONFIG, or `~/.kube/config` (`kubeconfigFiles`). */
  readonly files: ReadonlyArray<string>
  /** How the entries are to be called; default: rollcall, or the first of rollcall-2, … that is free. */
  readonly name?: string | undefined
  readonly processes?: Processes
}

/** The one that kubectl would change: the first that is there, else the last. Upstream: clientcmd/config.go GetDefaultFilename. */
const changedFile = (files: ReadonlyArray<string>): string =>
  files.find((file) => existsSync(file)) ?? files.at(-1) ?? ""

const readConfig = (file: string): Kubeconfig => {
  const parsed = parseKubeconfig(file, presentText(file))
  if (Result.isFailure(parsed)) throw parsed.failure
  return parsed.success.config
}

/** The configurations of the other files: an entry of theirs would be hidden by one of its name. */
const othersOf = (files: ReadonlyArray<string>, changed: string) =>
  files.filter((file) => file !== changed && existsSync(file)).map(readConfig)

const contextsOf = (configs: ReadonlyArray<Kubeconfig>): ReadonlySet<string> =>
  new Set(configs.flatMap(({ contexts }) => (contexts ?? []).map(({ name }) => name)))

/** The name that entries get; throws what stands in the way. */
const nameIn = ({ files, name: wanted, processes }: Required<Omit<ShareOptions, "name">> & ShareOptions) => {
  const file = changedFile(files)
  const obstacle = replacementObstacle(linkTarget(file), process.geteuid?.())
  if (obstacle !== undefined) throw invalid(file, "", obstacle)
  const config = readConfig(file)
  const others = othersOf(files, file)
  const isGone = (owner: EntryOwner) => isSameProcess(owner, processes.self) || !processes.isRunning(owner)
  const name = chooseName(wanted, [config, ...others].flatMap(entriesOf), isGone)
  if (Result.isSuccess(name)) return { name: name.success, file, config, others, isGone }
  const { owner } = name.failure
  const found = owner === undefined ? "is not Rollcall's" : `is of a cluster that runs (process ${owner.process})`
  throw invalid(file, "", `has ${labelOf(name.failure)}, which ${found}; give this cluster another name with --name`)
}

/** Writes what has been changed, unless that would change what is not Rollcall's. */
const save = (file: string, before: string, document: Document): void => {
  const after = formatDocument(document)
  if (!isSameBesides(before, after)) {
    throw invalid(file, "", "cannot be written again without a change to entries of others: it is left alone")
  }
  replaceFile(linkTarget(file), after)
}

/** Runs under the lock of the file that is changed. */
const changing = <A>(file: string, processes: Processes, act: () => A): Effect.Effect<A, InvalidInput> =>
  whileLocked(file, processes, Effect.try({ try: act, catch: (cause) => fileProblem(file, cause) }))

/** The name that `shareKubeconfig` would give a cluster's entries, or why there would be none. Changes nothing. */
export const sharedName = ({ processes = localProcesses(), ...options }: ShareOptions) =>
  Effect.try({
    try: (): SharedEntries => {
      const { file, name } = nameIn({ ...options, processes })
      return { file, name }
    },
    catch: (cause) => fileProblem(changedFile(options.files), cause)
  })

/**
 * Adds the entries of a cluster, which this process runs, to a kubeconfig that others share, and makes its context the current one:
 * under kubectl's lock, atomically, through symbolic links, with mode 0600. Entries of others and their comments are kept; those of
 * clusters of Rollcall that no process runs any more are taken away. Whatever cannot be done so is refused, and nothing is written.
 */
export const shareKubeconfig = (
  config: Kubeconfig,
  { processes = localProcesses(), ...options }: ShareOptions
): Effect.Effect<SharedEntries, InvalidInput> =>
  Effect.suspend(() => {
    const file = changedFile(options.files)
    return changing(file, processes, () => {
      const { config: present, isGone, name, others } = nameIn({ ...options, files: [...options.files], processes })
      const before = presentText(file)
      const document = parseDocument(before)
      withdrawEntries(document, present, isGone, contextsOf(others))
      const current = document.get("current-context")
      const previous = typeof current === "string" && current !== "" ? { previousContext: current } : {}
      const refused = addEntries(document, ownedKubeconfig(config, { cluster: name, ...processes.self, ...previous }))
      if (refused !== undefined) throw invalid(file, refused, "is no list, but refers to one: nothing is added to it")
      save(file, before, document)
      return { file, name }
    })
  })

/**
 * Takes a cluster's entries out again, and those of clusters that no process runs any more: the context that was current before them
 * is so again, unless another is by now.
 */
export const unshareKubeconfig = (
  { file, name }: SharedEntries,
  { files, processes = localProcesses() }: Pick<ShareOptions, "files" | "processes">
): Effect.Effect<void, InvalidInput> =>
  changing(file, processes, () => {
    if (!existsSync(file)) return
    const before = presentText(file)
    const document = parseDocument(before)
    const isGone = (owner: EntryOwner) =>
      isSameProcess(owner, processes.self) ? owner.cluster === name : !processes.isRunning(owner)
    withdrawEntries(document, readConfig(file), isGone, contextsOf(othersOf(files, file)))
    save(file, before, document)
  })
