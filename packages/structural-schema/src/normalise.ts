import { type Fields, isFields } from "@rollcall/api/values"
import { type JsonSchema, preservesUnknown, typeMetaFields, valuesOf } from "./JsonSchema.ts"

/** The maximum size of the defaults added to one object, in bytes of JSON: the limit of a request. */
export const MAX_DEFAULTED_BYTES = 3 * 1024 * 1024

/** Thrown when the defaults of one object exceed `MAX_DEFAULTED_BYTES`. */
export class DefaultsExceeded extends Error {
  constructor() {
    super(`defaults would add more than ${MAX_DEFAULTED_BYTES} bytes`)
  }
}

/**
 * Prunes and defaults an object by its schema: unknown fields are removed, nulls that are not allowed are removed or
 * replaced, and omitted fields get their defaults. The result shares unchanged parts, and shares each default among all
 * its uses. Throws `DefaultsExceeded` as soon as the defaults exceed the limit of a request.
 *
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}, which has no such limit: there the
 * storage rejects the object.
 */
export const normalise = (object: Fields, schema: JsonSchema): Fields => new Normaliser().fields(object, schema, true)

/** Normalises an object as `normalise` does, but keeps nulls that the schema does not allow and has no default for. */
export const normaliseApplied = (object: Fields, schema: JsonSchema): Fields =>
  new Normaliser(true, true).fields(object, schema, true)

/** Prunes an object by its schema as `normalise` does, without defaults. */
export const prune = (object: Fields, schema: JsonSchema): Fields => new Normaliser(false).fields(object, schema, true)

/** Returns the default of a schema, completed by nested defaults. Throws as `normalise` does. */
export const normaliseDefault = (schema: JsonSchema): unknown => defaultOf(schema).value

/** A default with its nested defaults, and its size as JSON: the same for all its uses. */
interface Default {
  readonly value: unknown
  readonly bytes: number
}

const defaults = new WeakMap<JsonSchema, Default>()

const defaultOf = (schema: JsonSchema): Default => {
  const known = defaults.get(schema)
  if (known !== undefined) return known
  const within = new Normaliser()
  const value = within.value(schema.default, schema)
  const made = { value, bytes: JSON.stringify(schema.default).length + within.addedBytes }
  defaults.set(schema, made)
  return made
}

/** The JSON of a field besides its name and value: quotes, colon and comma. */
const FIELD_BYTES = 4

class Normaliser {
  /** The size of the added defaults so far, in bytes. */
  addedBytes = 0
  private readonly setsDefaults: boolean
  private readonly keepsNulls: boolean

  constructor(setsDefaults = true, keepsNulls = false) {
    this.setsDefaults = setsDefaults
    this.keepsNulls = keepsNulls
  }

  /** Returns the default of a schema for a field of this name, and counts its size. */
  private useDefault(schema: JsonSchema, name: string): unknown {
    const { bytes, value } = defaultOf(schema)
    this.addedBytes += bytes + name.length + FIELD_BYTES
    if (this.addedBytes > MAX_DEFAULTED_BYTES) throw new DefaultsExceeded()
    return value
  }

  /** Returns a normalised value: a null that the schema does not allow becomes the default or undefined. */
  private withoutNull(value: unknown, schema: JsonSchema): unknown {
    if (value !== null || schema.nullable === true) return this.value(value, schema)
    if (schema.default === undefined) return this.keepsNulls ? value : undefined
    return this.setsDefaults ? this.useDefault(schema, "") : value
  }

  value(value: unknown, schema: JsonSchema): unknown {
    // A value of another type than its schema's is pruned, too: validation reports it.
    if (Array.isArray(value)) {
      if (schema.items !== undefined) return this.items(value, schema.items)
      return preservesUnknown(schema) ? value : withoutFields(value)
    }
    if (!isFields(value)) return value
    return this.fields(value, schema, schema["x-kubernetes-embedded-resource"] === true)
  }

  fields(object: Fields, schema: JsonSchema, whole: boolean): Fields {
    const { properties = {} } = schema
    const values = valuesOf(schema)
    const keepsAll = preservesUnknown(schema)
    const keepsScalars = schema.additionalProperties === true
    let changed: Record<string, unknown> | undefined
    for (const name in object) {
      const value = object[name]
      if (whole && isTypeMeta(name)) continue
      const inner = (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? values
      if (inner === undefined) {
        if (keepsScalars) {
          const rest = withoutFields(value)
          if (rest !== value) copy()[name] = rest
        } else if (!keepsAll) delete copy()[name]
        continue
      }
      const made = this.withoutNull(value, inner)
      if (made === value) continue
      if (made === undefined) delete copy()[name]
      else copy()[name] = made
    }
    for (const [name, property] of this.setsDefaults ? propertiesWithDefaults(schema) : []) {
      if (!Object.hasOwn(changed ?? object, name)) copy()[name] = this.useDefault(property, name)
    }
    return changed ?? object

    function copy(): Record<string, unknown> {
      changed ??= { ...object }
      return changed
    }
  }

  private items(list: ReadonlyArray<unknown>, schema: JsonSchema): ReadonlyArray<unknown> {
    let changed: Array<unknown> | undefined
    list.forEach((value, index) => {
      const made = this.withoutNull(value, schema) ?? value
      if (made === value) return
      changed ??= [...list]
      changed[index] = made
    })
    return changed ?? list
  }
}

/** Returns a value that no schema describes, in which all objects are empty. Shares what stays. */
const withoutFields = (value: unknown): unknown => {
  if (isFields(value)) return Object.keys(value).length === 0 ? value : {}
  if (!Array.isArray(value)) return value
  const made = value.map(withoutFields)
  return made.every((item, index) => item === value[index]) ? value : made
}

const isTypeMeta = (name: string): boolean => typeMetaFields.some((field) => field === name)

const defaultedProperties = new WeakMap<JsonSchema, ReadonlyArray<readonly [string, JsonSchema]>>()

/** The properties that have a default: found once, since a schema may have thousands without one. */
const propertiesWithDefaults = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema]> => {
  const known = defaultedProperties.get(schema)
  if (known !== undefined) return known
  const made = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined)
  defaultedProperties.set(schema, made)
  return made
}
