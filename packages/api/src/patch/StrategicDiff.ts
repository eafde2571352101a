import type { KindName, ObjectOf } from "../Kinds.ts"
import { putMember } from "../wire/decode/putMember.ts"
import { wireTypeOf } from "../wire/wireTypeOf.ts"
import { deleteFromPrimitiveList, directive, retainKeys, setElementOrder } from "./directives.ts"
import { goText, goType } from "./goText.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, jsonEqual, member } from "./Json.ts"
import { identityOf } from "./listOrder.ts"
import { type FieldMeta, fieldMeta, type StructMeta } from "./PatchMeta.ts"

type Patch = Record<string, Json>

/** Compares identities by Go's `%v` text, the order of upstream's patch lists. */
const compareByText = (left: Json, right: Json): number => {
  const [a, b] = [goText(left), goText(right)]
  return a < b ? -1 : a > b ? 1 : 0
}

const hasNoDuplicates = (values: JsonList): boolean =>
  values.length > maxPairwise
    ? new Set(values).size === values.length
    : values.every((value, index) => values.indexOf(value) === index)

/** Up to this number of elements, comparing all pairs is cheaper than building a set or map. */
const maxPairwise = 16

/** Returns a function that finds the first index of a value in the list, or -1. */
const indexFinder = (values: JsonList): ((value: Json) => number) => {
  if (values.length <= maxPairwise) return (value) => values.indexOf(value)
  const places = new Map<Json, number>()
  values.forEach((value, index) => {
    if (!places.has(value)) places.set(value, index)
  })
  return (value) => places.get(value) ?? -1
}

const diffScalars = (patch: Patch, name: string, original: JsonList, modified: JsonList): void => {
  const [indexBefore, indexAfter] = [indexFinder(original), indexFinder(modified)]
  const added = modified.filter((value) => indexBefore(value) < 0)
  const removed = original.filter((value) => indexAfter(value) < 0).toSorted(compareByText)
  if (added.length > 0) patch[name] = added
  if (removed.length > 0) patch[`${deleteFromPrimitiveList}/${name}`] = removed
  if (modified.length > 0) patch[`${setElementOrder}/${name}`] = modified
}

/**
 * Diffs elements by merge key: changed ones with their changes, removed ones with a delete directive, and the new
 * order. A list in which a key occurs twice cannot be merged (a node with two InternalIPs): it is replaced, and the
 * result is grouped by key, because a replaced list is ordered that way.
 */
const diffMaps = (
  patch: Patch,
  name: string,
  original: ReadonlyArray<JsonMap>,
  modified: ReadonlyArray<JsonMap>,
  mergeKey: string,
  field: FieldMeta
): void => {
  const identities = (list: JsonList) => list.map((element) => identityOf(element, mergeKey))
  const [identitiesBefore, identitiesAfter] = [identities(original), identities(modified)]
  if (!hasNoDuplicates(identitiesBefore) || !hasNoDuplicates(identitiesAfter)) {
    patch[name] = [...modified, { [directive]: "replace" }]
    return
  }
  const [indexBefore, indexAfter] = [indexFinder(identitiesBefore), indexFinder(identitiesAfter)]
  const changes: Array<Json> = []
  modified.forEach((element, index) => {
    const old = original[indexBefore(identitiesAfter[index] as Json)]
    if (old === undefined) changes.push(element)
    else {
      const change = diff(old, element, field.struct, field.retainKeys === true)
      if (Object.keys(change).length > 0) changes.push({ ...change, [mergeKey]: identitiesAfter[index] as Json })
    }
  })
  const removed = identitiesBefore.filter((key) => indexAfter(key) < 0).toSorted(compareByText)
  for (const key of removed) changes.push({ [directive]: "delete", [mergeKey]: key })
  if (changes.length > 0) patch[name] = changes
  if (modified.length > 0) patch[`${setElementOrder}/${name}`] = identitiesAfter.map((key) => ({ [mergeKey]: key }))
}

const diffList = (patch: Patch, name: string, original: JsonList, modified: JsonList, field: FieldMeta): void => {
  if (field.strategy !== "merge") patch[name] = modified
  else if (field.mergeKey === undefined) diffScalars(patch, name, original, modified)
  else {
    diffMaps(patch, name, original as ReadonlyArray<JsonMap>, modified as ReadonlyArray<JsonMap>, field.mergeKey, field)
  }
}

const diffField = (patch: Patch, name: string, original: Json, modified: Json, field: FieldMeta): void => {
  if (jsonEqual(original, modified)) return
  if (isMap(original) && isMap(modified) && field.strategy !== "replace") {
    putMember(patch, name, diff(original, modified, field.struct, field.retainKeys === true))
  } else if (isList(original) && isList(modified)) diffList(patch, name, original, modified, field)
  else putMember(patch, name, modified)
}

/** Returns the patch from one map to another. With `retain`, it lists the members to keep in `$retainKeys`. */
const diff = (original: JsonMap, modified: JsonMap, struct: StructMeta | undefined, retain: boolean): JsonMap => {
  const patch: Patch = {}
  for (const name of Object.keys(modified)) {
    const value = modified[name]
    const old = member(original, name)
    if (value === undefined || value === old) continue
    if (old === undefined || goType(old) !== goType(value)) putMember(patch, name, value)
    else diffField(patch, name, old, value, fieldMeta(struct, name))
  }
  for (const name of Object.keys(original)) {
    if (member(original, name) !== undefined && member(modified, name) === undefined) putMember(patch, name, null)
  }
  if (retain && Object.keys(patch).length > 0) {
    const kept = Object.keys(modified).filter((name) => modified[name] !== null)
    if (kept.length > 0) patch[retainKeys] = kept.sort()
  }
  return patch
}

/**
 * Returns the strategic merge patch that turns `original` into `modified`: `{}` when they are equal. Values that both
 * share by reference are not compared.
 *
 * Throws a PatchError when an element of a merging list lacks its merge key, which validation rejects.
 *
 * Upstream: apimachinery/pkg/util/strategicpatch/patch.go (CreateTwoWayMergePatch), with two differences: upstream's
 * patch of a list in which a merge key occurs twice does not produce `modified`, and upstream sends an unchanged field
 * of strategy `replace`, too.
 */
export const createStrategicPatch = <K extends KindName>(
  kind: K,
  original: ObjectOf<K>,
  modified: ObjectOf<K>
): JsonMap => diffDocuments(kind, original, modified)

/** Returns the strategic merge patch between partial objects of the kind, as `createStrategicPatch` does. */
export const diffDocuments = (kind: KindName, original: object, modified: object): JsonMap =>
  diff(original as JsonMap, modified as JsonMap, wireTypeOf(kind), false)
