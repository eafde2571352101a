import type { ObjectOf } from "../Kinds.ts"
import type { KindName } from "../Resource.ts"
import { wireTypeOf } from "../wire/wireTypes.ts"
import { deleteFromPrimitiveList, directive, retainKeys, setElementOrder } from "./directives.ts"
import { goText, goType } from "./goText.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, jsonEqual, member } from "./Json.ts"
import { identityOf } from "./listOrder.ts"
import { type FieldMeta, fieldMeta, type StructMeta } from "./PatchMeta.ts"

type Patch = Record<string, Json>

/** Compares identities by Go's `%v` text, the order of upstream's patch lists. */
const byText = (left: Json, right: Json): number => {
  const [a, b] = [goText(left), goText(right)]
  return a < b ? -1 : a > b ? 1 : 0
}

const isSet = (values: JsonList): boolean =>
  values.length > FEW
    ? new Set(values).size === values.length
    : values.every((value, index) => values.indexOf(value) === index)

/** Up to this many elements, comparing all pairs is cheaper than building a table. */
const FEW = 16

/** Returns a function that gives the first position of a value in the list, or -1. */
const placeIn = (values: JsonList): ((value: Json) => number) => {
  if (values.length <= FEW) return (value) => values.indexOf(value)
  const places = new Map<Json, number>()
  values.forEach((value, index) => {
    if (!places.has(value)) places.set(value, index)
  })
  return (value) => places.get(value) ?? -1
}

const diffScalars = (patch: Patch, name: string, original: JsonList, modified: JsonList): void => {
  const [before, after] = [placeIn(original), placeIn(modified)]
  const added = modified.filter((value) => before(value) < 0)
  const removed = original.filter((value) => after(value) < 0).toSorted(byText)
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
  const keyed = (list: JsonList) => list.map((element) => identityOf(element, mergeKey))
  const [before, after] = [keyed(original), keyed(modified)]
  if (!isSet(before) || !isSet(after)) {
    patch[name] = [...modified, { [directive]: "replace" }]
    return
  }
  const [placeBefore, placeAfter] = [placeIn(before), placeIn(after)]
  const changes: Array<Json> = []
  modified.forEach((element, index) => {
    const old = original[placeBefore(after[index] as Json)]
    if (old === undefined) changes.push(element)
    else {
      const change = diff(old, element, field.struct, field.retainKeys === true)
      if (Object.keys(change).length > 0) changes.push({ ...change, [mergeKey]: after[index] as Json })
    }
  })
  const gone = before.filter((key) => placeAfter(key) < 0).toSorted(byText)
  for (const key of gone) changes.push({ [directive]: "delete", [mergeKey]: key })
  if (changes.length > 0) patch[name] = changes
  if (modified.length > 0) patch[`${setElementOrder}/${name}`] = after.map((key) => ({ [mergeKey]: key }))
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
    patch[name] = diff(original, modified, field.struct, field.retainKeys === true)
  } else if (isList(original) && isList(modified)) diffList(patch, name, original, modified, field)
  else patch[name] = modified
}

const diff = (original: JsonMap, modified: JsonMap, struct: StructMeta | undefined, retain: boolean): JsonMap => {
  const patch: Patch = {}
  for (const name of Object.keys(modified)) {
    const value = modified[name]
    const old = member(original, name)
    if (value === undefined || value === old) continue
    if (old === undefined || goType(old) !== goType(value)) patch[name] = value
    else diffField(patch, name, old, value, fieldMeta(struct, name))
  }
  for (const name of Object.keys(original)) {
    if (member(original, name) !== undefined && member(modified, name) === undefined) patch[name] = null
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

/** As `createStrategicPatch`, for partial objects of the kind. */
export const diffDocuments = (kind: KindName, original: object, modified: object): JsonMap =>
  diff(original as JsonMap, modified as JsonMap, wireTypeOf(kind), false)
