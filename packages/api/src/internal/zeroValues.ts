import * as AST from "effect/SchemaAST"

/**
 * In Go an absent or null field has its type's zero value. So an absent required field becomes `""`, `0`, `false`, `[]`
 * or `{}`, and a null optional field is removed. Fields that no Schema describes are kept.
 */

/** Returns the value as Go would read it into a type; the same value when nothing is missing. */
type Reader = (value: unknown) => unknown

interface Field {
  readonly name: string
  readonly type: AST.AST
  readonly isOptional: boolean
  readonly acceptsNull: boolean
  /** Undefined for a scalar, which is read as it is. */
  readonly read: Reader | undefined
}

const acceptsNull = (type: AST.AST): boolean =>
  type._tag === "Unknown" || AST.isNull(type) || (AST.isUnion(type) && type.types.some(AST.isNull))

const zeroOf = (type: AST.AST): unknown => {
  switch (type._tag) {
    case "String":
      return ""
    case "Number":
      return 0
    case "Boolean":
      return false
    case "Literal":
      return type.literal
    case "Arrays":
      return []
    case "Union":
      return type.types[0] === undefined ? undefined : zeroOf(type.types[0])
    default:
      return withZeroValues(type, {})
  }
}

const fieldOf = (name: string, type: AST.AST, isOptional: boolean): Field => ({
  name,
  type,
  isOptional,
  acceptsNull: acceptsNull(type),
  read: readerOf(type)
})

const readField = ({ acceptsNull: isNullable, read, type }: Field, field: unknown): unknown => {
  if (field === undefined || (field === null && !isNullable)) return zeroOf(type)
  return read === undefined ? field : read(field)
}

/** Returns the object with the changed fields; those that are undefined are removed. */
const withChanges = (
  object: Readonly<Record<string, unknown>>,
  changes: ReadonlyArray<readonly [string, unknown]>
): Readonly<Record<string, unknown>> => {
  const entries = new Map([...Object.entries(object), ...changes])
  for (const [name, value] of changes) if (value === undefined) entries.delete(name)
  return Object.fromEntries(entries)
}

/** An object has few of the fields that its type knows: the reader goes through the object's, and the required ones. */
const objectReader = (type: AST.Objects): Reader => {
  const fields = type.propertySignatures.map(({ name, type: fieldType }) =>
    fieldOf(String(name), fieldType, AST.isOptional(fieldType))
  )
  const byName = new Map(fields.map((field) => [field.name, field]))
  const required = fields.filter(({ isOptional }) => !isOptional)
  const [index] = type.indexSignatures
  const item = index === undefined ? undefined : fieldOf("", index.type, false)
  return (value) => {
    const object = value as Readonly<Record<string, unknown>>
    let changes: Array<readonly [string, unknown]> | undefined
    const change = (name: string, read: unknown) => {
      changes ??= []
      changes.push([name, read])
    }
    for (const name in object) {
      const field = object[name]
      if (field !== null && field !== undefined && typeof field !== "object") continue
      const known = byName.get(name)
      if (known !== undefined) {
        const isMissing = field === undefined || (field === null && !known.acceptsNull)
        const read = isMissing && known.isOptional ? undefined : readField(known, field)
        if (read !== field || isMissing) change(name, read)
      }
      if (item === undefined) continue
      const read = readField(item, field)
      if (read !== field) change(name, read)
    }
    for (const field of required) {
      if (object[field.name] === undefined && !(field.name in object)) change(field.name, readField(field, undefined))
    }
    return changes === undefined ? object : withChanges(object, changes)
  }
}

const arrayReader = (type: AST.Arrays): Reader | undefined => {
  const [itemType] = type.rest
  const read = itemType === undefined ? undefined : readerOf(itemType)
  if (read === undefined) return undefined
  return (value) => {
    const items = value as ReadonlyArray<unknown>
    for (const item of items) if (read(item) !== item) return items.map(read)
    return items
  }
}

const makeReader = (type: AST.AST): Reader | undefined => {
  if (AST.isArrays(type)) {
    const read = arrayReader(type)
    return read && ((value) => (Array.isArray(value) ? read(value) : value))
  }
  if (AST.isObjects(type)) {
    const read = objectReader(type)
    return (value) => (typeof value !== "object" || value === null || Array.isArray(value) ? value : read(value))
  }
  if (!AST.isUnion(type)) return undefined
  const member = type.types.find((candidate) => AST.isObjects(candidate) || AST.isArrays(candidate))
  return member === undefined ? undefined : readerOf(member)
}

/** The readers of types, made once: a snapshot has millions of values. */
const readers = new WeakMap<AST.AST, { readonly read: Reader | undefined }>()

const readerOf = (type: AST.AST): Reader | undefined => {
  const known = readers.get(type)
  if (known !== undefined) return known.read
  const read = makeReader(type)
  readers.set(type, { read })
  return read
}

/** Returns the value as Go would read it into a type; the same value when nothing is missing. */
export const withZeroValues = (type: AST.AST, value: unknown): unknown => readerOf(type)?.(value) ?? value
