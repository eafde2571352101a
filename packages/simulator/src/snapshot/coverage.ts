import { isKindName, type KindName, parseTime } from "@rollcall/api"
import type { Document } from "@rollcall/input/documents"
import * as Predicate from "effect/Predicate"

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

/** Returns the kind of an empty typed list (`PodDisruptionBudgetList`): the cluster has none of it. A list with items may be partial. */
const emptyKindOf = (value: Readonly<Record<string, unknown>>): KindName | undefined => {
  const { items, kind } = value
  if (typeof kind !== "string" || !kind.endsWith(LIST_SUFFIX) || (items !== null && !Array.isArray(items)))
    return undefined
  const name = kind.slice(0, -LIST_SUFFIX.length)
  return (items ?? []).length === 0 && isKindName(name) ? name : undefined
}

const annotationsOf = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
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
  const whole = new Set<KindName>()
  const fewer = new Map<KindName, { readonly taken: number; readonly left: number }>()
  let takenMs: number | undefined
  for (const { value } of documents) {
    if (!Predicate.isReadonlyObject(value)) continue
    for (const list of [value, ...(Array.isArray(value.items) ? value.items : [])]) {
      const empty = Predicate.isReadonlyObject(list) ? emptyKindOf(list) : undefined
      if (empty !== undefined) whole.add(empty)
    }
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
