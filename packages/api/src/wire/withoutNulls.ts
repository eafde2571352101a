import { zeroValue } from "./decode/goTypes.ts"
import { putMember } from "./decode/putMember.ts"
import type { FieldType, MessageType, WireType } from "./WireType.ts"
import { wireTypeNamed, wireTypeOfGvk } from "./wireTypes.ts"

/*
 * Reads the nulls of a response as Go does. Servers in Go write null for a list or map without elements that is not
 * `omitempty`, and for times; others write null for every absent value. A value without nulls is returned unchanged, and
 * a value with nulls shares all its other parts.
 */

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the zero value of a Go struct, without its times. */
const zeroOf = (type: MessageType): Json => {
  const zero: Record<string, unknown> = {}
  for (const field of type.fields.values()) {
    const { name, omitEmpty, pointer, type: of } = field
    const isScalar = of.type === "scalar" && !omitEmpty && !pointer
    const value = isScalar ? (zeroValue(of) ?? undefined) : nullMeaningOf(field)
    if (value !== undefined) zero[name] = value
  }
  return zero
}

/** Returns the value that null means in a field; undefined if null means that the field is absent. */
const nullMeaningOf = ({ omitEmpty, pointer, required, type }: FieldType): unknown => {
  switch (type.type) {
    case "list":
      return omitEmpty ? undefined : []
    case "map":
      return omitEmpty ? undefined : {}
    case "message":
      return omitEmpty || pointer ? undefined : zeroOf(type.message)
    case "scalar":
      return required && !pointer ? (zeroValue(type) ?? undefined) : undefined
  }
}

/** Returns the value that null means in an element of a list or map. */
const nullElementMeaning = (type: WireType): unknown => {
  if (type.type === "message") return zeroOf(type.message)
  if (type.type === "list") return []
  return type.type === "map" ? {} : zeroValue(type)
}

const isUntyped = (type: WireType): boolean => type.type === "scalar" && type.scalar === "any"

const elementWithoutNulls = (type: WireType, value: unknown): unknown =>
  value === null && !isUntyped(type) ? nullElementMeaning(type) : withoutNullsInValue(type, value)

const listWithoutNulls = (items: WireType, list: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  let out: Array<unknown> | undefined
  for (let index = 0; index < list.length; index++) {
    const before = list[index]
    const after = elementWithoutNulls(items, before)
    if (after === before) continue
    out ??= [...list]
    out[index] = after
  }
  return out ?? list
}

const mapWithoutNulls = (values: WireType, map: Json): Json => {
  let out: Record<string, unknown> | undefined
  for (const key of Object.keys(map)) {
    const before = map[key]
    const after = elementWithoutNulls(values, before)
    if (after === before) continue
    out ??= { ...map }
    putMember(out, key, after)
  }
  return out ?? map
}

const withoutNullsInValue = (type: WireType, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  switch (type.type) {
    case "scalar":
      return value
    case "list":
      return Array.isArray(value) ? listWithoutNulls(type.items, value) : value
    case "map":
      return isObject(value) ? mapWithoutNulls(type.values, value) : value
    case "message":
      return isObject(value) ? withoutNulls(type.message, value) : value
  }
}

/** Removes the nulls of one message; unknown fields are kept unchanged. */
export const withoutNulls = (type: MessageType, message: Json): Json => {
  let out: Record<string, unknown> | undefined
  for (const name of Object.keys(message)) {
    const field = type.fields.get(name)
    if (field === undefined) continue
    const before = message[name]
    const after =
      before === null && !isUntyped(field.type) ? nullMeaningOf(field) : withoutNullsInValue(field.type, before)
    if (after === before) continue
    out ??= { ...message }
    if (after === undefined) delete out[name]
    else out[name] = after
  }
  return out ?? message
}

const typeByName = new Map<string, MessageType | undefined>()
const MAX_TYPES = 1000

const typeOf = (apiVersion: unknown, kind: unknown): MessageType | undefined => {
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined
  const key = `${apiVersion}/${kind}`
  if (!typeByName.has(key)) {
    // The names come from a server, which may send any number of them.
    if (typeByName.size >= MAX_TYPES) typeByName.clear()
    const [group = "", version] = apiVersion.split("/")
    typeByName.set(
      key,
      wireTypeOfGvk(version === undefined ? { group: "", version: group, kind } : { group, version, kind })
    )
  }
  return typeByName.get(key)
}

const metaType = (kind: "ObjectMeta" | "ListMeta"): MessageType | undefined =>
  wireTypeNamed(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`)

/** Removes the nulls of the metadata of an object or list whose kind has no table. */
const metadataWithoutNulls = (object: Json, meta: "ObjectMeta" | "ListMeta"): Json => {
  const type = metaType(meta)
  const { metadata } = object
  if (type === undefined || metadata === undefined) return object
  const after = metadata === null ? {} : isObject(metadata) ? withoutNulls(type, metadata) : metadata
  return after === metadata ? object : { ...object, metadata: after }
}

const unknownListWithoutNulls = (list: Json): Json => {
  const items = Array.isArray(list.items) ? list.items : []
  const after = items.flatMap((item) => (isObject(item) ? [metadataWithoutNulls(item, "ObjectMeta")] : []))
  const isSame = list.items === items && items.every((item, index) => item === after[index])
  return metadataWithoutNulls(isSame ? list : { ...list, items: after }, "ListMeta")
}

/**
 * Returns a response's object or list without nulls where its kind, by apiVersion and kind, has none. For unknown kinds
 * it does so for the metadata and a list's items.
 */
export const objectWithoutNulls = (object: unknown): unknown => {
  if (!isObject(object)) return object
  const { apiVersion, kind } = object
  const type = typeOf(apiVersion, kind)
  if (type !== undefined) return withoutNulls(type, object)
  const isList = typeof kind === "string" && kind.endsWith("List") && "items" in object
  return isList ? unknownListWithoutNulls(object) : metadataWithoutNulls(object, "ObjectMeta")
}

/** Returns what `objectWithoutNulls` does for an object whose JSON text is at hand: without `null` in it, nothing is visited. */
export const parsedWithoutNulls = (text: string, parsed: unknown): unknown =>
  text.includes("null") ? objectWithoutNulls(parsed) : parsed
