import * as Result from "effect/Result"
import { type Document, isMap, isSeq, parseDocument } from "yaml"
import { type EntryOwner, entriesOf, labelOf, type OwnedEntry, ownerIn, type Section, sections } from "./EntryOwner.ts"
import type { Kubeconfig } from "./Kubeconfig.ts"
import { yamlStyle } from "./kubeconfigFor.ts"

/** The name that a cluster has if it is given none; further ones are `rollcall-2`, `rollcall-3`, … */
export const DEFAULT_NAME = "rollcall"

/** Nobody has more clusters; a file with more names is not searched without end. */
const MOST_NAMES = 1000

/**
 * The name of a cluster's entries: that which was asked for, or the first of the defaults that no entry has. Fails with the entry
 * that has it. Entries that `isGone` will be taken away and have no names.
 */
export const chooseName = (
  wanted: string | undefined,
  entries: ReadonlyArray<OwnedEntry>,
  isGone: (owner: EntryOwner) => boolean
): Result.Result<string, OwnedEntry> => {
  const held = new Map<string, OwnedEntry>()
  for (const entry of entries) {
    if ((entry.owner === undefined || !isGone(entry.owner)) && !held.has(entry.name)) held.set(entry.name, entry)
  }
  const all = Array.from({ length: MOST_NAMES }, (_, index) => (index === 0 ? "" : `-${index + 1}`))
  const names = wanted === undefined ? all.map((suffix) => `${DEFAULT_NAME}${suffix}`) : [wanted]
  const free = names.find((name) => !held.has(name))
  if (free !== undefined) return Result.succeed(free)
  return Result.fail(held.get(names[0] ?? "") as OwnedEntry)
}

/** A section as a list of entries, made if it is not there; undefined: it is an alias or so, which is not followed. */
const listOf = (document: Document, section: Section) => {
  const found = document.get(section)
  if (found === undefined || found === null) document.set(section, document.createNode([]))
  const list = document.get(section)
  return isSeq(list) ? list : undefined
}

/** The current context without the contexts that go: that which was there before each of them. */
const currentWithout = (current: string | undefined, gone: ReadonlyMap<string, string | undefined>) => {
  let name = current
  for (let steps = 0; name !== undefined && gone.has(name) && steps <= gone.size; steps++) name = gone.get(name)
  return name !== undefined && gone.has(name) ? undefined : name
}

/** The contexts that go, with those that were current before them. */
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
 * Takes away the entries of clusters that are gone. Was one of their contexts the current one, then that which was current before it
 * is again, if it is still there (`elsewhere`: in other files); the clusters that stay hear of the same.
 */
export const withdrawEntries = (
  document: Document,
  config: Kubeconfig,
  isGone: (owner: EntryOwner) => boolean,
  elsewhere: ReadonlySet<string>
): void => {
  const entries = entriesOf(config)
  const going = entries.filter(({ owner }) => owner !== undefined && isGone(owner))
  if (going.length === 0) return
  const staying = entries.filter((entry) => !going.includes(entry))
  const gone = previousOf(going)
  const known = new Set(staying.flatMap(({ name, section }) => (section === "contexts" ? [name] : [])))
  const restored = (name: string | undefined): string | undefined => {
    const before = currentWithout(name, gone)
    return before === undefined || known.has(before) || elsewhere.has(before) ? before : undefined
  }
  const current = config["current-context"]
  if (current !== undefined && gone.has(current)) setCurrent(document, restored(current))
  for (const entry of staying) {
    const before = entry.section === "contexts" ? entry.owner?.previousContext : undefined
    if (before !== undefined && gone.has(before)) setPrevious(document, entry, restored(before))
  }
  for (const { index, section } of going.toSorted((left, right) => right.index - left.index)) {
    document.deleteIn([section, index])
  }
}

/** Puts a configuration's entries at the ends of their lists, and makes its context the current one. Undefined, or what cannot be. */
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

/** What of a file is not Rollcall's, as one reader of YAML sees it. */
const foreignIn = (text: string, version: "1.1" | "1.2"): string => {
  const value = (parseDocument(text, { version }).toJS() ?? {}) as Record<string, unknown>
  const { apiVersion: _, kind: __, "current-context": ___, ...rest } = value
  for (const section of sections) {
    const key = section.slice(0, -1)
    const list = Array.isArray(rest[section]) ? (rest[section] as ReadonlyArray<NamedEntry>) : []
    rest[section] = list.filter((entry) => ownerIn(entry[key]?.extensions) === undefined)
  }
  return JSON.stringify(Object.entries(rest).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

/** Whether two texts say the same but for Rollcall's own entries, to kubectl (YAML 1.1) and to others (1.2). */
export const isSameBesides = (before: string, after: string): boolean =>
  (["1.1", "1.2"] as const).every((version) => foreignIn(before, version) === foreignIn(after, version))

export const formatDocument = (document: Document): string => document.toString(yamlStyle)

export { labelOf }
