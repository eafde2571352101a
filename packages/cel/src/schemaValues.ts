import { type Fields, goTypeOf, isFields } from "@rollcall/api/values"
import { parseDuration, parseTimestamp } from "./conversions.ts"
import { Buffer } from "./runtime.ts"
import { type CelSchema, celName, fieldNamed, valuesOf, wholeSchema } from "./schemaTypes.ts"
import { CelError, CelList, CelMap, type Key, type ListKeys, type Value } from "./values.ts"

const invalid = (why: string) => new CelError(`invalid data, ${why}`)
const expected = (type: string, value: unknown) => invalid(`expected ${type}, got ${goTypeOf(value)}`)

/**
 * Converts a value for rules: integers as bigints, times as timestamps. Lists and objects are converted lazily, so that
 * unused parts cost nothing. A value that is not of its schema, which is older than it, is an error where a rule uses it.
 * Upstream: apiserver/pkg/cel/common/valuesunstructured.go, UnstructuredToVal.
 */
export const celValue = (value: unknown, schema: CelSchema, whole = false): Value => {
  if (value === null || value === undefined)
    return schema.nullable === true ? null : invalid("got null for schema with nullable=false")
  if (schema["x-kubernetes-int-or-string"] === true) return intOrText(value)
  switch (schema.type) {
    case "object":
      if (isFields(value)) return objectValue(value, schema, whole)
      return invalid("expected a map for the provided schema with type=object")
    case "array":
      if (Array.isArray(value)) return new JsonList(value, schema)
      return invalid("expected an array for the provided schema with type=array")
    case "string":
      return typeof value === "string" ? textValue(value, schema) : expected("string", value)
    case "number":
      return isNumber(value) ? Number(value) : expected("float", value)
    case "integer":
      return isInteger(value) ? BigInt(value) : expected("int", value)
    case "boolean":
      return typeof value === "boolean" ? value : expected("bool", value)
  }
  return openValue(value)
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint"
const isInteger = (value: unknown): value is number | bigint => isNumber(value) && goTypeOf(value) === "int64"

const intOrText = (value: unknown): Value => {
  if (typeof value === "string") return value
  return isInteger(value) ? BigInt(value) : invalid("expected XIntOrString value to be either a string or integer")
}

/** Converts a value of any type: rules can only compare it. */
const openValue = (value: unknown): Value => {
  if (Array.isArray(value)) return new JsonList(value, { items: { nullable: true } })
  if (isFields(value)) return new JsonMap(value, { nullable: true })
  if (isNumber(value)) return isInteger(value) ? BigInt(value) : value
  return typeof value === "string" ? value : value === true
}

const textValue = (text: string, { format }: CelSchema): Value => {
  switch (format) {
    case "byte":
      return Buffer.from(text, "base64")
    case "date":
    case "date-time":
      return parseTimestamp(format === "date" ? `${text}T00:00:00Z` : text) ?? new CelError(`Invalid date ${text}`)
    case "duration":
      return parseDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
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
    const found = typeof key === "string" ? fieldNamed(this.names, key) : undefined
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
