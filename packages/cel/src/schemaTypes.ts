import { Buffer } from "./runtime.ts"
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  STRING,
  sized,
  TIMESTAMP
} from "./types.ts"

/**
 * What types and values follow from in the schema of a custom resource. Upstream: apiserver/pkg/cel/common, Schema.
 */
export interface CelSchema {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, CelSchema>>
  readonly additionalProperties?: CelSchema | boolean
  readonly items?: CelSchema
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly "x-kubernetes-int-or-string"?: boolean
  readonly "x-kubernetes-embedded-resource"?: boolean
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map"
  readonly "x-kubernetes-list-map-keys"?: ReadonlyArray<string>
}

/** Returns the schema of the values of a map with arbitrary keys; undefined for other schemas. */
export const valuesOf = ({ additionalProperties }: CelSchema): CelSchema | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined

const reserved: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(" ")
)

/**
 * Returns a field's name in rules: names that are not valid in CEL are escaped. Returns undefined if that is
 * impossible. Upstream: apiserver/pkg/cel/escaping.go, Escape.
 */
export const celName = (name: string): string | undefined => {
  if (reserved.has(name)) return `__${name}__`
  if (/^[A-Za-z_]\w*$/.test(name) && !name.includes("__")) return name
  const text = name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__")
  return /^[A-Za-z_]\w*$/.test(text) ? text : undefined
}

/**
 * Returns the field of a name; a keyword of CEL also names the field that is escaped for it: `self.namespace` is
 * `self.__namespace__`. Upstream: apiserver/pkg/cel/types.go, FindStructFieldType.
 */
export const fieldNamed = <A>(fields: ReadonlyMap<string, A>, name: string): A | undefined =>
  fields.get(name) ?? (reserved.has(name) ? fields.get(`__${name}__`) : undefined)

/** The maximum size of a request. Upstream: apiserver/pkg/apis/cel/config.go, MaxRequestSizeBytes. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024

/** The types of schemas of parts and of whole objects; null for values that rules cannot access. */
const partTypes = new WeakMap<CelSchema, CelType | null>()
const wholeTypes = new WeakMap<CelSchema, CelType | null>()

/**
 * Returns the CEL type of a schema's values, with their maximum size; undefined if rules cannot access them. `whole`
 * says whether the values are objects with apiVersion, kind and metadata. Upstream:
 * apiserver/pkg/cel/common/schemas.go, SchemaDeclType.
 */
export const celTypeOf = (schema: CelSchema, whole: boolean): CelType | undefined => {
  const cache = whole ? wholeTypes : partTypes
  const found = cache.get(schema)
  if (found !== undefined) return found ?? undefined
  const made = computeType(whole ? withMeta(schema) : schema)
  cache.set(schema, made ?? null)
  return made
}

/** Returns the type of a part: embedded resources are whole objects. */
export const partType = (schema: CelSchema): CelType | undefined =>
  celTypeOf(schema, schema["x-kubernetes-embedded-resource"] === true)

const text: CelSchema = { type: "string" }
const meta: CelSchema = { type: "object", properties: { name: text, generateName: text } }

/** Returns the schema of a whole object: it has apiVersion, kind and metadata, whatever the schema says. */
const withMeta = (schema: CelSchema): CelSchema => {
  const { properties } = schema
  const hasMeta =
    properties?.kind?.type === "string" &&
    properties.apiVersion?.type === "string" &&
    properties.metadata?.properties?.name?.type === "string" &&
    properties.metadata.properties.generateName?.type === "string"
  return hasMeta ? schema : { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata: meta } }
}

const wholes = new WeakMap<CelSchema, CelSchema>()

/** Returns the schema of a whole object, cached. */
export const wholeSchema = (schema: CelSchema): CelSchema => {
  const found = wholes.get(schema)
  if (found !== undefined) return found
  const made = withMeta(schema)
  wholes.set(schema, made)
  return made
}

const computeType = (schema: CelSchema): CelType | undefined => {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return sized(DYN, schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : notBelowZero(schema.maxLength) * 4, 1)
  }
  switch (schema.type) {
    case "array":
      return listType(schema)
    case "object":
      return objectType(schema)
    case "string":
      return textType(schema)
    case "boolean":
      return BOOL
    case "number":
      return DOUBLE
    case "integer":
      return INT
  }
  return undefined
}

const notBelowZero = (value: number): number => Math.max(0, value)

const listType = ({ items, maxItems }: CelSchema): CelType | undefined => {
  const type = items && partType(items)
  if (type === undefined) return undefined
  const most = Math.floor((MAX_REQUEST_BYTES - 2) / (type.minSize + 1))
  return listOf(type, maxItems === undefined ? most : notBelowZero(maxItems))
}

const objectType = (schema: CelSchema): CelType | undefined => {
  const values = valuesOf(schema)
  if (values !== undefined) {
    const type = partType(values)
    if (type === undefined) return undefined
    const most = Math.floor((MAX_REQUEST_BYTES - 2) / (type.minSize + 6))
    return mapOf(STRING, type, schema.maxProperties === undefined ? most : notBelowZero(schema.maxProperties))
  }
  const required = new Set(schema.required)
  const fields = new Map<string, CelType>()
  let minSize = 2
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = partType(property)
    if (type === undefined) continue
    const escaped = celName(name)
    if (escaped !== undefined) fields.set(escaped, type)
    if (required.has(name) && property.default === undefined) minSize += Buffer.byteLength(name) + type.minSize + 4
  }
  return objectOf(fields, minSize)
}

const textType = (schema: CelSchema): CelType => {
  const { enum: values = [], format, maxLength } = schema
  switch (format) {
    case "byte":
      return sized(BYTES, maxLength === undefined ? MAX_REQUEST_BYTES - 2 : notBelowZero(maxLength), 2)
    case "duration":
      return sized(DURATION, 32, 3)
    case "date":
      return sized(TIMESTAMP, 12, 12)
    case "date-time":
      return sized(TIMESTAMP, 32, 21)
  }
  if (maxLength !== undefined) return sized(STRING, notBelowZero(maxLength) * 4, 2)
  if (values.length === 0) return sized(STRING, MAX_REQUEST_BYTES - 2, 2)
  return sized(
    STRING,
    values.reduce<number>((most, value) => Math.max(most, textBytes(value)), 0),
    2
  )
}

/** The bytes of a text in UTF-8; 0 for other values. */
const textBytes = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0)
