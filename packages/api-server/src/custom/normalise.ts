import { type Fields, isFields, type JsonSchema, preservesUnknown, typeMetaFields, valuesOf } from "./JsonSchema.ts"

/**
 * An object as its schema has it: what the schema does not name is gone, nulls that it does not allow are gone or replaced, and what
 * was left out has its default. Shares what it does not change.
 *
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}.
 */
export const normalise = (object: Fields, schema: JsonSchema): Fields => fields(object, schema, true)

const fields = (object: Fields, schema: JsonSchema, whole: boolean): Fields => {
  const { properties = {} } = schema
  const values = valuesOf(schema)
  const keepsAll = preservesUnknown(schema) || schema.additionalProperties === true
  let changed: Record<string, unknown> | undefined
  for (const name in object) {
    const value = object[name]
    if (whole && isTypeMeta(name)) continue
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const inner = property ?? values
    if (inner === undefined) {
      if (!keepsAll) delete copy()[name]
      continue
    }
    const made = normaliseValue(value === null && inner.nullable !== true ? inner.default : value, inner)
    if (made === value) continue
    // A map keeps its keys: their values are then judged by the validation.
    if (made === undefined && property !== undefined) delete copy()[name]
    else if (made !== undefined) copy()[name] = made
  }
  for (const name in properties) {
    const property = properties[name]
    if (property?.default === undefined || Object.hasOwn(changed ?? object, name)) continue
    copy()[name] = normaliseValue(property.default, property)
  }
  return changed ?? object

  function copy(): Record<string, unknown> {
    changed ??= { ...object }
    return changed
  }
}

const isTypeMeta = (name: string): boolean => typeMetaFields.some((field) => field === name)

const normaliseValue = (value: unknown, schema: JsonSchema): unknown => {
  if (Array.isArray(value)) return schema.items === undefined ? value : items(value, schema.items)
  if (!isFields(value)) return value
  // Of a type that is no object: the validation says so.
  if (schema.type !== undefined && schema.type !== "object") return value
  return fields(value, schema, schema["x-kubernetes-embedded-resource"] === true)
}

const items = (list: ReadonlyArray<unknown>, schema: JsonSchema): ReadonlyArray<unknown> => {
  let changed: Array<unknown> | undefined
  list.forEach((value, index) => {
    const made = normaliseValue(value === null && schema.nullable !== true ? (schema.default ?? value) : value, schema)
    if (made === value) return
    changed ??= [...list]
    changed[index] = made
  })
  return changed ?? list
}
