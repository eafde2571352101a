import { isFields } from "../../core/objects/values.ts"
import { type Fields, type JsonSchema, preservesUnknown, typeMetaFields, valuesOf } from "./JsonSchema.ts"

/** What defaults may add to one object, as JSON: as much as a request may hold. */
export const MAX_DEFAULTED_BYTES = 3 * 1024 * 1024

/** Thrown where defaults would add more than `MAX_DEFAULTED_BYTES` to one object. */
export class DefaultsExceeded extends Error {
  constructor() {
    super(`defaults would add more than ${MAX_DEFAULTED_BYTES} bytes`)
  }
}

/**
 * An object as its schema has it: what the schema does not name is gone, nulls that it does not allow are gone or replaced, and what
 * was left out has its default. Shares what it does not change, and shares each default among all places that it fills.
 * Throws `DefaultsExceeded` as soon as the defaults are more than a request may hold.
 *
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}, which knows no such limit: there the store refuses.
 */
export const normalise = (object: Fields, schema: JsonSchema): Fields => new Normalising().fields(object, schema, true)

/** The default of a schema with the defaults of what it leaves out. Throws as `normalise` does. */
export const normaliseDefault = (schema: JsonSchema): unknown => defaultOf(schema).value

/** A default with its own defaults, and its bytes as JSON: the same for every place that it fills. */
interface Default {
  readonly value: unknown
  readonly bytes: number
}

const defaults = new WeakMap<JsonSchema, Default>()

const defaultOf = (schema: JsonSchema): Default => {
  const known = defaults.get(schema)
  if (known !== undefined) return known
  const within = new Normalising()
  const value = within.value(schema.default, schema)
  const made = { value, bytes: JSON.stringify(schema.default).length + within.added }
  defaults.set(schema, made)
  return made
}

class Normalising {
  /** Bytes that defaults have added so far. */
  added = 0

  /** The default of a schema for one more place, which has this name. */
  private take(schema: JsonSchema, name: string): unknown {
    const { bytes, value } = defaultOf(schema)
    this.added += bytes + name.length + 4
    if (this.added > MAX_DEFAULTED_BYTES) throw new DefaultsExceeded()
    return value
  }

  /** What stands for a null: itself where the schema allows it, or the default. */
  private known(value: unknown, schema: JsonSchema): unknown {
    if (value !== null || schema.nullable === true) return this.value(value, schema)
    return schema.default === undefined ? undefined : this.take(schema, "")
  }

  value(value: unknown, schema: JsonSchema): unknown {
    if (Array.isArray(value)) return schema.items === undefined ? value : this.items(value, schema.items)
    if (!isFields(value)) return value
    // Of a type that is no object: the validation says so.
    if (schema.type !== undefined && schema.type !== "object") return value
    return this.fields(value, schema, schema["x-kubernetes-embedded-resource"] === true)
  }

  fields(object: Fields, schema: JsonSchema, whole: boolean): Fields {
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
      const made = this.known(value, inner)
      if (made === value) continue
      // A map keeps its keys: their values are then judged by the validation.
      if (made === undefined && property !== undefined) delete copy()[name]
      else if (made !== undefined) copy()[name] = made
    }
    for (const [name, property] of defaulted(schema)) {
      if (!Object.hasOwn(changed ?? object, name)) copy()[name] = this.take(property, name)
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
      const made = this.known(value, schema) ?? value
      if (made === value) return
      changed ??= [...list]
      changed[index] = made
    })
    return changed ?? list
  }
}

const isTypeMeta = (name: string): boolean => typeMetaFields.some((field) => field === name)

const defaultedProperties = new WeakMap<JsonSchema, ReadonlyArray<readonly [string, JsonSchema]>>()

/** The properties that have a default: found once, since a schema may have thousands that have none. */
const defaulted = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema]> => {
  const known = defaultedProperties.get(schema)
  if (known !== undefined) return known
  const made = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined)
  defaultedProperties.set(schema, made)
  return made
}
