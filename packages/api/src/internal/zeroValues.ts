import * as AST from "effect/SchemaAST"

/**
 * In Go an absent or null field has its type's zero value. So an absent required field becomes `""`, `0`, `false`, `[]`
 * or `{}`, and a null optional field is removed. Fields that no Schema describes are kept.
 */

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

const inObject = (type: AST.Objects, object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const changes: Array<readonly [string, unknown]> = []
  const visit = (name: string, fieldType: AST.AST, optional: boolean) => {
    const field = object[name]
    const missing = field === undefined || (field === null && !acceptsNull(fieldType))
    if (missing && optional) {
      if (name in object) changes.push([name, undefined])
      return
    }
    const value = missing ? zeroOf(fieldType) : withZeroValues(fieldType, field)
    if (value !== field) changes.push([name, value])
  }
  for (const { name, type: fieldType } of type.propertySignatures) {
    visit(String(name), fieldType, AST.isOptional(fieldType))
  }
  const [index] = type.indexSignatures
  if (index !== undefined) for (const name of Object.keys(object)) visit(name, index.type, false)
  if (changes.length === 0) return object
  const entries = new Map([...Object.entries(object), ...changes])
  for (const [name, value] of changes) if (value === undefined) entries.delete(name)
  return Object.fromEntries(entries)
}

const inArray = (type: AST.Arrays, items: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const [itemType] = type.rest
  if (itemType === undefined) return items
  const read = items.map((item) => withZeroValues(itemType, item))
  return read.every((item, index) => item === items[index]) ? items : read
}

/** Returns the value as Go would read it into a type; the same value when nothing is missing. */
export const withZeroValues = (type: AST.AST, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (AST.isArrays(type)) return Array.isArray(value) ? inArray(type, value) : value
  if (AST.isObjects(type)) return Array.isArray(value) ? value : inObject(type, value as Record<string, unknown>)
  if (!AST.isUnion(type)) return value
  const member = type.types.find((candidate) => AST.isObjects(candidate) || AST.isArrays(candidate))
  return member === undefined ? value : withZeroValues(member, value)
}
