import { type Fields, isFields } from "@rollcall/api/values"
import { parseDuration, parseTimestamp } from "./conversions.ts"
import { Buffer } from "./runtime.ts"
import { type CelSchema, celName, valuesOf, wholeSchema } from "./schemaTypes.ts"
import { CelError, CelList, CelMap, type Key, type ListKeys, type Value } from "./values.ts"

/**
 * Converts a value for rules: integers as bigints, times as timestamps. Lists and objects are converted lazily, so that
 * unused parts cost nothing. Upstream: apiserver/pkg/cel/common/values.go, UnstructuredToVal.
 */
export const celValue = (value: unknown, schema: CelSchema, whole = false): Value => {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return new JsonList(value, schema)
  if (isFields(value)) return objectValue(value, schema, whole)
  if (typeof value === "number") return numberValue(value, schema)
  if (typeof value === "bigint") return schema.type === "number" ? Number(value) : value
  if (typeof value === "string") return textValue(value, schema)
  return value === true
}

const numberValue = (value: number, { type }: CelSchema): Value =>
  type === "number" || !Number.isInteger(value) ? value : BigInt(value)

const textValue = (text: string, { format }: CelSchema): Value => {
  switch (format) {
    case "byte":
      return Buffer.from(text, "base64")
    case "date":
    case "date-time":
      return parseTimestamp(format === "date" ? `${text}T00:00:00Z` : text) ?? new CelError(`Invalid date ${text}`)
    case "duration":
      return parseDuration(text) ?? new CelError(`Invalid duration ${text}`)
  }
  return text
}

const objectValue = (value: Fields, schema: CelSchema, whole: boolean): Value => {
  const values = valuesOf(schema)
  if (values !== undefined) return new JsonMap(value, values)
  const own = whole || schema["x-kubernetes-embedded-resource"] === true ? wholeSchema(schema) : schema
  return new JsonObject(value, own)
}

const keysOf = (schema: CelSchema): ListKeys | undefined => {
  const kind = schema["x-kubernetes-list-type"]
  return kind === "set" || kind === "map" ? { kind, keys: schema["x-kubernetes-list-map-keys"] ?? [] } : undefined
}

class JsonList extends CelList {
  readonly size: number
  private readonly list: ReadonlyArray<unknown>
  private readonly items: CelSchema

  constructor(list: ReadonlyArray<unknown>, schema: CelSchema) {
    super(keysOf(schema))
    this.list = list
    this.size = list.length
    this.items = schema.items ?? {}
  }

  at(index: number): Value {
    return celValue(this.list[index], this.items)
  }
}

class JsonMap extends CelMap {
  private readonly fields: Fields
  private readonly values: CelSchema
  private names: ReadonlyArray<string> | undefined

  constructor(fields: Fields, values: CelSchema) {
    super()
    this.fields = fields
    this.values = values
  }

  get size(): number {
    return this.keys().length
  }

  get(key: Key): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.fields, key)) return undefined
    return celValue(this.fields[key], this.values)
  }

  keys(): ReadonlyArray<string> {
    this.names ??= Object.keys(this.fields)
    return this.names
  }
}

/** The fields of schemas by their names in rules, with their names in JSON. */
const fieldsByCelName = new WeakMap<CelSchema, ReadonlyMap<string, readonly [string, CelSchema]>>()

const namesOf = (schema: CelSchema): ReadonlyMap<string, readonly [string, CelSchema]> => {
  const known = fieldsByCelName.get(schema)
  if (known !== undefined) return known
  const made = new Map<string, readonly [string, CelSchema]>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = celName(name)
    if (escaped !== undefined) made.set(escaped, [name, property])
  }
  fieldsByCelName.set(schema, made)
  return made
}

class JsonObject extends CelMap {
  private readonly fields: Fields
  private readonly names: ReadonlyMap<string, readonly [string, CelSchema]>

  constructor(fields: Fields, schema: CelSchema) {
    super()
    this.fields = fields
    this.names = namesOf(schema)
  }

  get size(): number {
    return this.keys().length
  }

  get(key: Key): Value | undefined {
    const found = typeof key === "string" ? this.names.get(key) : undefined
    if (found === undefined) return undefined
    const [name, schema] = found
    const value = Object.hasOwn(this.fields, name) ? this.fields[name] : undefined
    // A null field counts as absent; items of lists and values of maps may be null.
    return value === undefined || value === null ? undefined : celValue(value, schema)
  }

  keys(): ReadonlyArray<string> {
    const found: Array<string> = []
    for (const name of Object.keys(this.fields)) {
      const escaped = celName(name)
      if (escaped !== undefined && this.get(escaped) !== undefined) found.push(escaped)
    }
    return found
  }
}
