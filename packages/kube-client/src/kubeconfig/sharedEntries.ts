import { sortedEntries } from "@rollcall/api"
import * as Result from "effect/Result"
import { type Document, isMap, isSeq, parseDocument } from "yaml"
import { type EntryOwner, entriesOf, labelOf, type OwnedEntry, ownerIn, type Section, sections } from "./EntryOwner.ts"
import type { Kubeconfig } from "./Kubeconfig.ts"
import { yamlStyle } from "./kubeconfigFor.ts"

/** The default name of a cluster; further ones are `rollcall-2`, `rollcall-3`, … */
export const DEFAULT_NAME = "rollcall"

/** The number of default names to try. */
const MAX_NAMES = 1000

/**
 * Chooses the name of a cluster's entries: the wanted one, or the first default name that no entry has. Fails with the
 * entry that has the wanted name. Entries for which `isStale` is true will be removed, so their names are free.
 */
export const chooseName = (
  wanted: string | undefined,
  entries: ReadonlyArray<OwnedEntry>,
  isStale: (owner: EntryOwner) => boolean
): Result.Result<string, OwnedEntry> => {
  const takenNames = new Map<string, OwnedEntry>()
  for (const entry of entries) {
    if ((entry.owner === undefined || !isStale(entry.owner)) && !takenNames.has(entry.name))
      takenNames.set(entry.name, entry)
  }
  const suffixes = Array.from({ length: MAX_NAMES }, (_, index) => (index === 0 ? "" : `-${index + 1}`))
  const names = wanted === undefined ? suffixes.map((suffix) => `${DEFAULT_NAME}${suffix}`) : [wanted]
  const free = names.find((name) => !takenNames.has(name))
  if (free !== undefined) return Result.succeed(free)
  return Result.fail(takenNames.get(names[0] ?? "") as OwnedEntry)
}

/**
 * Returns a section as a list of entries, created when missing; undefined for an alias or another node that is not a
 * list.
 */
const listOf = (document: Document, section: Section) => {
  const found = document.get(section)
  if (found === undefined || found === null) document.set(section, document.createNode([]))
  const list = document.get(section)
  return isSeq(list) ? list : undefined
}

/** Returns the current context after the removed contexts are removed: the one that was current before them. */
const currentAfterRemoval = (current: string | undefined, removed: ReadonlyMap<string, string | undefined>) => {
  let name = current
  for (let steps = 0; name !== undefined && removed.has(name) && steps <= removed.size; steps++)
    name = removed.get(name)
  return name !== undefined && removed.has(name) ? undefined : name
}

/** Maps each removed context to the one that was current before it. */
const previousOf = (entries: ReadonlyArray<OwnedEntry>): ReadonlyMap<string, string | undefined> =>
  new Map(
    entries.flatMap(({ name, owner, section }) => (section === "contexts" ? [[name, owner?.previousContext]] : []))
  )

const setPrevious = (document: Document, { index, owner }: OwnedEntry, previous: string | undefined): void => {
  const at = ["contexts", index, "context", "extensions"]
  const extensions = document.toJS()?.contexts?.[index]?.context?.extensions
  const position = Array.isArray(extensions) ? extensions.findIndex((one) => ownerIn([one]) !== undefined) : -1
  if (owner === undefined || position < 0) return
  const path = [...at, position, "extension", "previousContext"]
  if (previous === undefined) document.deleteIn(path)
  else document.setIn(path, previous)
}

const setCurrent = (document: Document, name: string | undefined): void => {
  if (name !== undefined) document.set("current-context", name)
  else if (document.has("current-context")) document.set("current-context", "")
}

/**
 * Removes the entries of clusters that no longer run. If one of their contexts is the current one, the context that was
 * current before it becomes current again, if it still exists; `otherContexts` are those in other files. The previous
 * contexts that the remaining entries record are updated in the same way.
 */
export const removeStaleEntries = (
  document: Document,
  config: Kubeconfig,
  isStale: (owner: EntryOwner) => boolean,
  otherContexts: ReadonlySet<string>
): void => {
  const entries = entriesOf(config)
  const staleEntries = entries.filter(({ owner }) => owner !== undefined && isStale(owner))
  if (staleEntries.length === 0) return
  const remainingEntries = entries.filter((entry) => !staleEntries.includes(entry))
  const removed = previousOf(staleEntries)
  const known = new Set(remainingEntries.flatMap(({ name, section }) => (section === "contexts" ? [name] : [])))
  const previousContextOf = (name: string | undefined): string | undefined => {
    const before = currentAfterRemoval(name, removed)
    return before === undefined || known.has(before) || otherContexts.has(before) ? before : undefined
  }
  const current = config["current-context"]
  if (current !== undefined && removed.has(current)) setCurrent(document, previousContextOf(current))
  for (const entry of remainingEntries) {
    const before = entry.section === "contexts" ? entry.owner?.previousContext : undefined
    if (before !== undefined && removed.has(before)) setPrevious(document, entry, previousContextOf(before))
  }
  for (const { index, section } of staleEntries.toSorted((left, right) => right.index - left.index)) {
    document.deleteIn([section, index])
  }
}

/**
 * Appends a configuration's entries to their lists, and makes its context the current one. Returns the section that
 * cannot be changed, or undefined.
 */
export const addEntries = (document: Document, config: Kubeconfig): string | undefined => {
  if (!isMap(document.contents)) document.contents = document.createNode({ apiVersion: "v1", kind: "Config" })
  for (const section of sections) {
    const list = listOf(document, section)
    if (list === undefined) return section
    list.flow = false
    for (const entry of config[section] ?? []) list.items.push(document.createNode(entry))
  }
  document.set("current-context", config["current-context"])
  return undefined
}

type NamedEntry = Readonly<Record<string, { readonly extensions?: unknown } | undefined>>

/** Returns the part of a file that is not Rollcall's, as a reader of this YAML version sees it. */
const foreignPartOf = (text: string, version: "1.1" | "1.2"): string => {
  const value = (parseDocument(text, { version }).toJS() ?? {}) as Record<string, unknown>
  const { apiVersion: _, kind: __, "current-context": ___, ...rest } = value
  for (const section of sections) {
    const key = section.slice(0, -1)
    const list = Array.isArray(rest[section]) ? (rest[section] as ReadonlyArray<NamedEntry>) : []
    rest[section] = list.filter((entry) => ownerIn(entry[key]?.extensions) === undefined)
  }
  return JSON.stringify(sortedEntries(rest))
}

/** Whether two texts are equal except for Rollcall's own entries, both for kubectl (YAML 1.1) and for others (1.2). */
export const onlyOwnEntriesDiffer = (before: string, after: string): boolean =>
  (["1.1", "1.2"] as const).every((version) => foreignPartOf(before, version) === foreignPartOf(after, version))

export const formatDocument = (document: Document): string => document.toString(yamlStyle)

export { labelOf }
