import { isOmittedByGo } from "./decode/goTypes.ts"
import { putMember } from "./decode/putMember.ts"
import { withoutStrayBytes } from "./strayBytes.ts"
import type { MessageType, WireType } from "./WireType.ts"

/*
 * Lists, maps and bytes that a client gave as empty. In Go a decoded object holds them until it is encoded, and rules tell
 * them from absent ones: errors print `[]`, and defaults are only for what is absent. The decoder therefore keeps them and
 * marks the object. `withoutEmpties` drops them where Go encodes: before the object is stored, or compared with a stored one.
 */

/** The type of a marked object. Copies of the object are marked, too; JSON does not show it. */
const TYPE = Symbol("type of an object that holds empties")

/** Set if texts of the marked object have bytes that are no UTF-8, as lone surrogates. */
const STRAY_BYTES = Symbol("whether texts have bytes that are no UTF-8")

type Fields = Readonly<Record<string, unknown>>
type Marked = { readonly [TYPE]?: MessageType; readonly [STRAY_BYTES]?: true }

/** Returns a decoded object with the mark of one that holds empty lists or maps. */
export const markEmpties = (type: MessageType, value: unknown): unknown => ({ ...(value as Fields), [TYPE]: type })

/**
 * Returns a decoded object with the mark of one whose texts have bytes that are no UTF-8. They are dropped, too, where Go
 * encodes: JSON has U+FFFD in their place.
 */
export const markStrayBytes = (type: MessageType, value: Fields): Fields => ({
  ...value,
  [TYPE]: type,
  [STRAY_BYTES]: true
})

/** Whether the object may hold lists, maps or bytes that Go would not write. */
export const holdsEmpties = (object: object): boolean => (object as Marked)[TYPE] !== undefined

/** Returns an object that is changed after another, marked if that is. */
export const markedLike = <A extends object>(other: object, object: A): A => {
  const { [STRAY_BYTES]: stray, [TYPE]: type } = other as Marked
  if (type === undefined) return object
  return { ...object, [TYPE]: type, ...(stray && { [STRAY_BYTES]: stray }) }
}

/** Returns the object without the empty lists and maps that Go would not write, and without the mark; itself if it is not marked. */
export const withoutEmpties = <A extends object>(object: A): A => {
  if (!holdsEmpties(object)) return object
  const { [STRAY_BYTES]: stray, [TYPE]: type, ...rest } = object as A & Marked & { readonly [TYPE]: MessageType }
  return dropEmpties(type, stray ? withoutStrayBytes(rest) : rest) as A
}

/**
 * Returns a marked object as Go stores it in protobuf: with the empty bytes, which JSON does not show. Undefined if its type
 * has none.
 */
export const withEmptyBytes = <A extends object>(object: A): A | undefined => {
  const { [STRAY_BYTES]: stray, [TYPE]: type, ...rest } = object as A & Marked
  if (type === undefined || !hasBytes(type)) return undefined
  return dropEmpties(type, stray ? withoutStrayBytes(rest) : rest, true) as A
}

const typesWithBytes = new WeakMap<MessageType, boolean>()

/** Whether a field of the type, at any depth, has bytes. */
const hasBytes = (type: MessageType): boolean => {
  let has = typesWithBytes.get(type)
  if (has === undefined) {
    // A type within itself has no further ones.
    typesWithBytes.set(type, false)
    has = [...type.fields.values()].some((field) => isBytes(field.type))
    typesWithBytes.set(type, has)
  }
  return has
}

const isBytes = (type: WireType): boolean => {
  switch (type.type) {
    case "scalar":
      return type.scalar === "bytes"
    case "message":
      return hasBytes(type.message)
    case "list":
      return isBytes(type.items)
    case "map":
      return isBytes(type.values)
  }
}

/**
 * Drops from a message the empty lists and maps that Go would not write, at any depth, and perhaps empty bytes. Parts without
 * them are shared.
 */
export const dropEmpties = (type: MessageType, value: unknown, keepsBytes = false): unknown => {
  if (typeof value !== "object" || value === null) return value
  const given = value as Fields
  const out: Record<string, unknown> = {}
  let isChanged = false
  for (const name of Object.keys(given)) {
    const field = type.fields.get(name)
    const before = given[name]
    const after = field === undefined ? before : dropInValue(field.type, before, keepsBytes)
    const isOmitted = field !== undefined && isOmittedByGo(field, after)
    if (isOmitted && !(keepsBytes && after === "" && isBytes(field.type))) isChanged = true
    else {
      isChanged ||= after !== before
      putMember(out, name, after)
    }
  }
  return isChanged ? out : value
}

/** Drops the empties of metadata, but not an empty managedFields, which removes all owners. */
export const metadataWithoutEmpties = (type: MessageType, metadata: unknown): unknown => {
  const { managedFields } = metadata as Fields
  const kept = dropEmpties(type, metadata) as Fields
  return Array.isArray(managedFields) && managedFields.length === 0 ? { ...kept, managedFields } : kept
}

const dropInValue = (type: WireType, value: unknown, keepsBytes: boolean): unknown => {
  if (typeof value !== "object" || value === null) return value
  switch (type.type) {
    case "scalar":
      return value
    case "message":
      return dropEmpties(type.message, value, keepsBytes)
    case "list": {
      if (type.items.type === "scalar" || !Array.isArray(value)) return value
      const items = value.map((item) => dropInValue(type.items, item, keepsBytes))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    case "map": {
      if (type.values.type === "scalar") return value
      const after: Record<string, unknown> = {}
      for (const [name, item] of Object.entries(value))
        putMember(after, name, dropInValue(type.values, item, keepsBytes))
      return after
    }
  }
}
