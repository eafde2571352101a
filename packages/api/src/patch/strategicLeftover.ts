import type { KindName } from "../Kinds.ts"
import { wireTypeOf } from "../wire/wireTypeOf.ts"
import { deleteFromPrimitiveList, directive, retainKeys, setElementOrder } from "./directives.ts"
import { goType } from "./goText.ts"
import { isList, isMap, type Json, type JsonMap, member } from "./Json.ts"
import { fieldMeta, type StructMeta } from "./PatchMeta.ts"

/*
 * Upstream applies a strategic merge patch by changing both its operands, and errors show what is left of the patch
 * then. Upstream: apimachinery/pkg/util/strategicpatch/patch.go, mergeMap.
 */

const withoutNulls = (value: Json): Json => {
  if (isList(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const kept = Object.entries(value).filter(([, child]) => child !== null)
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNulls(child)]))
}

const hasDirective = (value: Json): boolean => isMap(value) && member(value, directive) !== undefined

/** Maps with a directive are removed from maps and their lists; the elements of a list of its own stay, since it is copied. */
const withoutDirectives = (value: Json, within = false): Json => {
  if (isList(value)) {
    const kept = within ? value.filter((item) => !hasDirective(item)) : value
    return kept.map((item) => withoutDirectives(item, within))
  }
  if (!isMap(value) || hasDirective(value)) return value
  const kept = Object.entries(value).filter(([, child]) => !hasDirective(child))
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutDirectives(child, true)]))
}

const leftoverOfElements = (original: Json, patch: Json, mergeKey: string, struct: StructMeta | undefined): Json => {
  if (!isList(original) || !isList(patch)) return patch
  return patch.map((element) => {
    if (!isMap(element) || member(element, directive) !== undefined) return element
    const identity = member(element, mergeKey)
    const current = original.find((other) => isMap(other) && member(other, mergeKey) === identity)
    return isMap(current) ? leftoverOf(current, element, struct) : element
  })
}

const leftoverOfField = (
  original: Json | undefined,
  name: string,
  value: Json,
  struct: StructMeta | undefined
): Json => {
  if (original === undefined || goType(original) !== goType(value)) return withoutDirectives(withoutNulls(value))
  const { mergeKey, strategy, struct: inner } = fieldMeta(struct, name)
  if (isMap(value) && isMap(original)) return strategy === "replace" ? value : leftoverOf(original, value, inner)
  return strategy === "merge" && mergeKey !== undefined ? leftoverOfElements(original, value, mergeKey, inner) : value
}

const leftoverOf = (original: JsonMap, patch: JsonMap, struct: StructMeta | undefined): JsonMap => {
  const { [directive]: value, ...others } = patch
  if (value !== undefined) return value === "replace" ? others : patch
  const names = Object.keys(patch)
  const ordered = new Set(
    names.filter((name) => name.startsWith(setElementOrder)).map((name) => name.slice(setElementOrder.length + 1))
  )
  const kept = names.filter((name) => name !== retainKeys && !name.startsWith(setElementOrder) && !ordered.has(name))
  return Object.fromEntries(
    kept.map((name) => {
      const child = patch[name] as Json
      const isPlain = child !== null && !name.startsWith(deleteFromPrimitiveList)
      return [name, isPlain ? leftoverOfField(member(original, name), name, child, struct) : child]
    })
  )
}

/** Returns what upstream leaves of a strategic merge patch that it has applied to the document. */
export const strategicLeftover = (kind: KindName, document: unknown, patch: unknown): Json =>
  isMap(patch) ? leftoverOf(isMap(document) ? document : {}, patch as JsonMap, wireTypeOf(kind)) : (patch as Json)
