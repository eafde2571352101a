import { sortedEntries } from "@rollcall/api"
import { isFields, withSortedKeys } from "@rollcall/api/values"
import type { MessageType, WireType } from "@rollcall/api/wire"
import type { PatchRequest } from "@rollcall/cluster"

/*
 * The order of the unknown fields of a patched object. Upstream: apimachinery/pkg/runtime/converter.go,
 * FromUnstructuredWithValidation; github.com/evanphx/json-patch, whose documents are maps, which Go writes sorted.
 */

/** The maps in a value, itself included. */
const mapsIn = (value: unknown, found: Set<unknown> = new Set()): ReadonlySet<unknown> => {
  if (isFields(value)) found.add(value)
  if (Array.isArray(value) || isFields(value)) for (const item of Object.values(value)) mapsIn(item, found)
  return found
}

/** Returns a message with its fields in the order of Go's struct, at any depth. */
const inStructOrder = (type: WireType, value: unknown): unknown => {
  if (type.type === "list" && Array.isArray(value)) return value.map((item) => inStructOrder(type.items, item))
  if (type.type !== "message" || !isFields(value)) return withSortedKeys(value)
  const known = [...type.message.fields.values()].filter(({ name }) => Object.hasOwn(value, name))
  return Object.fromEntries(known.map((field) => [field.name, inStructOrder(field.type, value[field.name])]))
}

/** Adds the messages in a value of a stored object as Go writes them, by the value. */
const addStructs = (type: WireType, value: unknown, found: Map<unknown, unknown>): void => {
  if (type.type === "list" && Array.isArray(value)) for (const item of value) addStructs(type.items, item, found)
  if (type.type !== "message" || !isFields(value)) return
  found.set(value, inStructOrder(type, value))
  for (const field of type.message.fields.values()) addStructs(field.type, value[field.name], found)
}

/** Returns the messages of a stored object as Go writes them, by the value in the object. */
const structsOf = (type: MessageType, document: unknown): ReadonlyMap<unknown, unknown> => {
  const found = new Map<unknown, unknown>()
  if (!isFields(document)) return found
  for (const field of type.fields.values()) addStructs(field.type, document[field.name], found)
  return found
}

/**
 * Returns a patched object as Go writes it before it is read again: with sorted keys, except in the values that a JSON
 * patch adds or moves and does not change afterwards.
 */
export const sortedAsPatched = (
  patched: unknown,
  { body, patchType }: Pick<PatchRequest, "body" | "patchType">,
  stored?: { readonly document: unknown; readonly type: MessageType }
): unknown => {
  if (patchType !== "json") return withSortedKeys(patched)
  const added = mapsIn(body)
  const structs = stored === undefined ? new Map() : structsOf(stored.type, stored.document)
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted)
    const struct = structs.get(value)
    if (struct !== undefined) return struct
    if (!isFields(value) || added.has(value)) return value
    return Object.fromEntries(sortedEntries(value).map(([name, item]) => [name, sorted(item)]))
  }
  return sorted(patched)
}

/** Returns the errors in Go's order. `ofSorted` returns those of the object with sorted keys. */
export const inOrder = (
  errors: ReadonlyArray<string>,
  patchType: PatchRequest["patchType"],
  ofSorted: () => ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (errors.length < 2) return errors
  return patchType === "strategic" ? [...errors].sort() : ofSorted()
}
