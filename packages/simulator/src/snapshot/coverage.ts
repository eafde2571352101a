import { isKindName, type KindName, parseTime } from "@rollcall/api"
import type { Document } from "@rollcall/input/documents"
import * as Predicate from "effect/Predicate"
import { isNamesake } from "../input/objects.ts"

/**
 * Annotations on the List that `rollcall snapshot` writes: the kinds that it holds completely with the number of objects of each
 * (`Pod=30,PodDisruptionBudget=0`), and the time of the reading.
 */
export const annotationKinds = "rollcall.dev/snapshot-kinds"
export const annotationTaken = "rollcall.dev/snapshot-taken"

/** The coverage that the documents of a snapshot declare. */
export interface Coverage {
  /** Kinds of which the snapshot has all objects of the cluster, possibly none. */
  readonly whole: ReadonlySet<KindName>
  /** Kinds of which objects were removed from the file after the cluster was read. */
  readonly fewer: ReadonlyMap<KindName, { readonly taken: number; readonly left: number }>
  /** When the cluster was read, in milliseconds since the Unix epoch; undefined if the snapshot does not record it. */
  readonly takenMs: number | undefined
}

const LIST_SUFFIX = "List"

type Fields = Readonly<Record<string, unknown>>

/** Returns the kind of the items of a typed list (`PodDisruptionBudgetList`). */
const listedKindOf = ({ apiVersion, items, kind }: Fields): KindName | undefined => {
  if (typeof kind !== "string" || !kind.endsWith(LIST_SUFFIX) || (items !== null && !Array.isArray(items)))
    return undefined
  const name = kind.slice(0, -LIST_SUFFIX.length)
  return isKindName(name) && !isNamesake(String(apiVersion), name) ? name : undefined
}

const itemsOf = ({ items }: Fields): ReadonlyArray<Fields> =>
  Array.isArray(items) ? items.filter(Predicate.isReadonlyObject) : []

/**
 * Returns the kinds of empty typed lists: the cluster has none of them. Where another document has objects of the kind, the empty list is
 * only that of a namespace, as in the folder of `kubectl cluster-info dump`.
 */
const emptyKinds = (documents: ReadonlyArray<Fields>): ReadonlySet<KindName> => {
  const empty = new Set<KindName>()
  const shown = new Set<unknown>()
  const visit = (value: Fields): void => {
    const listed = listedKindOf(value)
    const items = itemsOf(value)
    if (listed === undefined) shown.add(value.kind)
    else if (items.length > 0) shown.add(listed)
    else empty.add(listed)
    for (const item of items) visit(item)
  }
  for (const value of documents) visit(value)
  return new Set([...empty].filter((kind) => !shown.has(kind)))
}

const annotationsOf = (value: Fields): Fields => {
  const { metadata } = value
  return Predicate.isReadonlyObject(metadata) && Predicate.isReadonlyObject(metadata.annotations)
    ? metadata.annotations
    : {}
}

/** What the annotation states of a kind. */
interface KindCount {
  readonly kind: KindName
  /** The number of objects that were read; undefined if the annotation has no number. */
  readonly count: number | undefined
}

const parseKindCounts = (text: unknown): ReadonlyArray<KindCount> =>
  (typeof text === "string" ? text.split(",") : []).flatMap((entry) => {
    const [kind = "", count] = entry.split("=")
    return isKindName(kind) ? [{ kind, count: count === undefined ? undefined : Number(count) }] : []
  })

const countKinds = (items: unknown): ReadonlyMap<unknown, number> => {
  const counts = new Map<unknown, number>()
  for (const item of Array.isArray(items) ? items : []) {
    if (Predicate.isReadonlyObject(item)) counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1)
  }
  return counts
}

/** Returns the coverage that documents declare: by annotations, and by empty typed lists. */
export const coverageOf = (documents: ReadonlyArray<Document>): Coverage => {
  const values = documents.map(({ value }) => value).filter(Predicate.isReadonlyObject)
  const whole = new Set<KindName>(emptyKinds(values))
  const fewer = new Map<KindName, { readonly taken: number; readonly left: number }>()
  let takenMs: number | undefined
  for (const value of values) {
    const { [annotationKinds]: kinds, [annotationTaken]: taken } = annotationsOf(value)
    const stated = parseKindCounts(kinds)
    const counts = stated.length === 0 ? undefined : countKinds(value.items)
    for (const { count = 0, kind } of stated) {
      const left = counts?.get(kind) ?? 0
      if (left < count) fewer.set(kind, { taken: count, left })
      else whole.add(kind)
    }
    const readMs = typeof taken === "string" ? parseTime(taken) : Number.NaN
    if (!Number.isNaN(readMs)) takenMs = Math.max(takenMs ?? 0, readMs)
  }
  return { whole, fewer, takenMs }
}
