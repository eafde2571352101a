import type * as Result from "effect/Result"
import type { KindName } from "../Kinds.ts"
import { goQuote } from "../validation/goFormat.ts"
import { wireTypeOf } from "../wire/wireTypeOf.ts"
import { deleteFromPrimitiveList, directive, retainKeys, setElementOrder } from "./directives.ts"
import { goString, goText, goType, jsonType } from "./goText.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, MapDraft, member, originalIfSame } from "./Json.ts"
import {
  checkOrder,
  elementFinder,
  elementType,
  identityOf,
  inOrder,
  noMergeKey,
  requireComparable,
  requireIdentities,
  wrongType
} from "./listOrder.ts"
import { newValue, withoutDirectives } from "./newValue.ts"
import { catchPatchError, PatchError } from "./PatchError.ts"
import { type FieldMeta, fieldMeta, type Opaque, type StructMeta } from "./PatchMeta.ts"

/** What a map of the object is in Go: undefined for one that its types lack. */
type Container = StructMeta | Opaque | undefined

/** Returns how a patch merges a map or list in a container. Throws if the container is no struct, as upstream. */
const metaIn = (container: Container, name: string): FieldMeta => {
  if (container === "map") {
    const message = "merging an object in json but data type is not struct, instead is: map"
    throw new PatchError({ code: 500, message })
  }
  if (container === undefined || "fields" in container) return fieldMeta(container, name)
  throw noField(container.struct, name)
}

const noField = (struct: string, name: string): PatchError =>
  new PatchError({
    code: 500,
    message: `unable to find api field in struct ${struct} for the json field ${goQuote(name)}`
  })

const containerOf = (field: FieldMeta): Container => field.opaque ?? field.struct

const malformed = (what: string) => new PatchError({ code: 400, message: `invalid patch format of ${what}` })

const unknownDirective = (value: Json, map: JsonMap) =>
  new PatchError({ code: 500, message: `unknown patch type: ${goString(value)} in map: ${goText(map)}` })

/** Returns the field that a directive list is about: `conditions` for `$setElementOrder/conditions`. */
const parallelField = (key: string, prefix: string, what: string): string => {
  const slash = key.indexOf("/")
  if (slash < 0 || key.slice(0, slash) !== prefix) throw malformed(what)
  return key.slice(slash + 1)
}

const setNew = (draft: MapDraft, field: string, value: Json): void => {
  const kept = newValue(value)
  if (kept === undefined) draft.delete(field)
  else draft.set(field, kept)
}

/**
 * Removes the members of the object that `$retainKeys` does not name. Throws if the patch sets a member that it does not
 * name. Removes the directive from the patch.
 */
const keepRetained = (draft: MapDraft, patch: Map<string, Json>): void => {
  const retained = patch.get(retainKeys)
  if (retained === undefined) return
  patch.delete(retainKeys)
  if (!isList(retained)) throw malformed("retainKeys")
  const names = new Set(retained)
  for (const [key, value] of patch) {
    const parallel = key.startsWith(deleteFromPrimitiveList) || key.startsWith(setElementOrder)
    if (value !== null && !parallel && !names.has(key)) throw malformed("retainKeys")
  }
  for (const key of draft.keys()) {
    if (!names.has(key)) draft.delete(key)
  }
}

/**
 * Applies the `$patch` directives among a list's elements: `delete` removes the element with this merge key, `replace`
 * takes the patch's elements only. Returns the remaining list and the patch's elements that are not directives.
 */
const applyElementDirectives = (
  original: JsonList,
  patch: ReadonlyArray<JsonMap>,
  mergeKey: string
): { readonly original: JsonList; readonly patch: ReadonlyArray<JsonMap> } => {
  if (patch.every((element) => member(element, directive) === undefined)) return { original, patch }
  const deleted = new Set<Json>()
  let replace = false
  const plain: Array<JsonMap> = []
  for (const element of patch) {
    const value = member(element, directive)
    if (value === undefined) plain.push(element)
    else if (value === "delete") deleted.add(identityOf(element, mergeKey))
    else if (value === "replace") replace = true
    else if (value === "merge") {
      throw new PatchError({ code: 500, message: "merging lists cannot yet be specified in the patch" })
    } else throw unknownDirective(value, element)
  }
  if (replace) return { original: plain, patch: [] }
  const isKept = (other: Json) => {
    const identity = isMap(other) ? member(other, mergeKey) : undefined
    return identity === undefined || !deleted.has(identity)
  }
  return { original: deleted.size === 0 ? original : original.filter(isKept), patch: plain }
}

const mergeElements = (
  original: JsonList,
  patch: ReadonlyArray<JsonMap>,
  mergeKey: string,
  struct: Container
): JsonList => {
  const merged = [...original]
  const find = elementFinder(merged, original.length + patch.length, mergeKey)
  for (const element of patch) {
    const identity = member(element, mergeKey)
    if (identity === undefined) throw noMergeKey(element, mergeKey)
    const at = find(identity)
    if (at === undefined) merged.push(element)
    else merged[at] = mergeMap(merged[at] as JsonMap, element, struct)
  }
  return merged
}

const mergeList = (original: JsonList, patch: JsonList, field: FieldMeta): JsonList => {
  if (original.length === 0 && patch.length === 0) return original
  const { mergeKey } = field
  if (elementType(original, patch) !== "map[string]interface {}") {
    return inOrder([...new Set([...original, ...patch])], patch, original, mergeKey)
  }
  if (mergeKey === undefined) {
    throw new PatchError({ code: 500, message: "cannot merge lists without merge key for string" })
  }
  const rest = applyElementDirectives(original, patch as ReadonlyArray<JsonMap>, mergeKey)
  const merged = mergeElements(rest.original, rest.patch, mergeKey, containerOf(field))
  return inOrder(merged, rest.patch, rest.original, mergeKey)
}

const applyList = (original: JsonList, patch: JsonList, field: FieldMeta): JsonList =>
  field.strategy === "merge" ? originalIfSame(original, mergeList(original, patch, field)) : patch

const deleteScalars = (original: JsonList, deletedValues: JsonList, field: FieldMeta): JsonList => {
  if (original.length === 0 && deletedValues.length === 0) return original
  // Like upstream's mergeSlice, this merges maps instead of deleting them: the directive is for scalars.
  if (elementType(original, deletedValues) === "map[string]interface {}")
    return mergeList(original, deletedValues, field)
  const deleted = new Set(deletedValues)
  return originalIfSame(
    original,
    original.filter((value) => !deleted.has(value))
  )
}

const requireList = (value: Json | undefined): JsonList | undefined => {
  if (value !== undefined && !isList(value)) throw wrongType("[]interface {}", value)
  return value
}

/** Throws unless a struct has the field, and it is a list in Go, or a pointer. */
const requireListField = (struct: StructMeta, name: string): void => {
  const field = struct.fields.get(name)
  if (field === undefined) throw noField(struct.name, name)
  const isBytes = field.type.type === "scalar" && field.type.scalar === "bytes"
  if (field.pointer || field.type.type === "list" || isBytes) return
  throw new PatchError({ code: 500, message: "expected slice or array type, but got: struct" })
}

/** Merges each list for which the patch has a `$setElementOrder` list, and removes both from the patch. */
const mergeOrderedLists = (draft: MapDraft, patch: Map<string, Json>, struct: Container): void => {
  for (const [key, value] of [...patch]) {
    if (!key.startsWith(setElementOrder)) continue
    patch.delete(key)
    const order = requireList(value) ?? []
    const name = parallelField(key, setElementOrder, "setElementOrder list")
    const original = requireList(draft.get(name))
    const patched = requireList(patch.get(name))
    const field = metaIn(struct, name)
    if (typeof struct === "object" && "fields" in struct) requireListField(struct, name)
    checkOrder(patched ?? [], order, field.mergeKey)
    if (original === undefined && patched === undefined) continue
    const merged =
      patched === undefined
        ? (original ?? [])
        : original === undefined
          ? patched.map(withoutDirectives).filter((element) => element !== undefined)
          : applyList(original, patched, field)
    if (field.mergeKey === undefined) requireComparable(merged, order)
    const isOfMaps = elementType(original ?? [], patched ?? []) === "map[string]interface {}"
    if (field.mergeKey === undefined && isOfMaps) requireIdentities([...order, ...(original ?? [])], "")
    draft.set(name, inOrder(merged, order, original ?? [], field.mergeKey))
    patch.delete(name)
  }
}

const applyField = (draft: MapDraft, key: string, value: Json, struct: Container): void => {
  const deletes = key.startsWith(deleteFromPrimitiveList)
  const name = deletes ? parallelField(key, deleteFromPrimitiveList, "primitive list") : key
  if (value === null) {
    draft.delete(name)
    return
  }
  const original = draft.get(name)
  if (original === undefined || goType(original) !== goType(value)) {
    if (!deletes) setNew(draft, name, value)
    return
  }
  if (!isMap(value) && !isList(value)) {
    draft.set(name, value)
    return
  }
  const field = metaIn(struct, name)
  if (isMap(value) && isMap(original)) {
    if (field.strategy === "replace") draft.set(name, value)
    else draft.put(name, mergeMap(original, value, containerOf(field)))
  } else if (isList(value) && isList(original)) {
    draft.set(name, deletes ? deleteScalars(original, value, field) : applyList(original, value, field))
  }
}

const hasDirective = (keys: ReadonlyArray<string>): boolean => {
  for (const key of keys) if (key.startsWith("$")) return true
  return false
}

/** Merges a map of the patch into a map of the object. */
const mergeMap = (original: JsonMap, patch: JsonMap, struct: Container): JsonMap => {
  const value = member(patch, directive)
  if (value === "replace") {
    const { [directive]: _, ...rest } = patch
    return rest
  }
  if (value === "delete") return {}
  if (value !== undefined) throw unknownDirective(value, patch)
  const draft = new MapDraft(original)
  const keys = Object.keys(patch)
  if (!hasDirective(keys)) {
    for (const key of keys) applyField(draft, key, patch[key] as Json, struct)
    return draft.done()
  }
  const rest = new Map(Object.entries(patch))
  keepRetained(draft, rest)
  mergeOrderedLists(draft, rest, struct)
  for (const [key, child] of rest) applyField(draft, key, child, struct)
  return draft.done()
}

/**
 * Applies a strategic merge patch with the merge keys of the kind. Supports `$patch`, `$retainKeys`,
 * `$setElementOrder/…` and `$deleteFromPrimitiveList/…`. Neither argument is changed; the result shares unchanged
 * values, and is the document itself when nothing changed. Fails with the message of Kubernetes' library.
 *
 * Fields that the Go types lack are merged like untagged ones, because fields that Rollcall does not model must be
 * kept; upstream drops them before it patches.
 *
 * Upstream: apimachinery/pkg/util/strategicpatch/patch.go (StrategicMergeMapPatch).
 */
export const applyStrategicPatch = (
  kind: KindName,
  document: unknown,
  patch: unknown
): Result.Result<Json, PatchError> =>
  catchPatchError(() => {
    const body = patch as Json
    if (body === null) return document as Json
    if (!isMap(body)) {
      const message = `json: cannot unmarshal ${jsonType(body)} into Go value of type map[string]interface {}`
      throw new PatchError({ code: 400, message })
    }
    return mergeMap(isMap(document) ? document : {}, body, wireTypeOf(kind))
  })
