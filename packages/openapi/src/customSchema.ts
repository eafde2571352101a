import type { Json } from "./OpenApiKind.ts"
import type { OpenApiVersion } from "./Schemas.ts"

/*
 * The schemas of custom resources in the documents. Upstream: apiextensions-apiserver/pkg/controller/openapi,
 * builder/builder.go (addEmbeddedProperties) and v2/conversion.go; pkg/apiserver/schema/unfold.go.
 */

const unsupportedInV2 = ["nullable", "anyOf", "oneOf", "allOf", "not", "default"]

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const keepsUnknown = (schema: Json): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true

/** How schemas are shown in one document. */
interface Shown {
  readonly version: OpenApiVersion
  /** The schema of the metadata of any object. */
  readonly metadata: Json
}

const isNullable = (schema: unknown): boolean => isJson(schema) && schema.nullable === true

/** Version 2 cannot express nullable values: they are not required. */
const requiredInV2 = ({ additionalProperties, properties, required }: Json): unknown => {
  if (!Array.isArray(required) || isNullable(additionalProperties)) return undefined
  const left = required.filter((name) => !(isJson(properties) && isNullable(properties[name])))
  return left.length === 0 ? undefined : left
}

/** Returns a schema without what clients of version 2 do not understand, or would refuse objects for. */
const forV2 = (schema: Json): Json => {
  const made: Record<string, unknown> = { ...schema }
  for (const name of unsupportedInV2) delete made[name]
  if (isNullable(schema)) delete made.type
  if (isNullable(schema) || keepsUnknown(schema)) for (const name of ["items", "properties"]) delete made[name]
  if (made.type === "array" && made.items === undefined) delete made.type
  if (made.type === "object" && keepsUnknown(schema)) delete made.type
  const required = requiredInV2(made)
  if (required === undefined) delete made.required
  else made.required = required
  return made
}

const integerOrString: ReadonlyArray<Json> = [{ type: "integer" }, { type: "string" }]

const saysIntegerOrString = (anyOf: unknown): boolean => JSON.stringify(anyOf) === JSON.stringify(integerOrString)

/** Returns a schema with the meaning of x-kubernetes-int-or-string in words that all clients know. */
const unfolded = (schema: Json): Json => {
  const { allOf, anyOf } = schema
  const first = Array.isArray(allOf) ? allOf[0] : undefined
  if (schema["x-kubernetes-int-or-string"] !== true) return schema
  if (saysIntegerOrString(anyOf) || saysIntegerOrString(isJson(first) ? first.anyOf : undefined)) return schema
  if (anyOf === undefined) return { ...schema, anyOf: integerOrString }
  return { ...schema, allOf: [{ anyOf: integerOrString }, ...(Array.isArray(allOf) ? allOf : [])] }
}

/** Returns the schema of a whole object inside a custom resource: its fields of every object are those of Kubernetes. */
const withObjectFields = (schema: Json, { metadata }: Shown): Json => {
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    properties: {
      ...(isJson(schema.properties) ? schema.properties : {}),
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata
    },
    required: [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))]
  }
}

const convertAll = (schemas: Json, shown: Shown): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, customSchema(schema, shown)]))

/** Converts the schema of a custom resource's definition for the documents. */
export const customSchema = (schema: unknown, shown: Shown): Json => {
  if (!isJson(schema)) return {}
  const isV2 = shown.version === "v2"
  const own = isV2 ? forV2(schema) : unfolded(schema)
  const { additionalProperties, items, properties } = own
  const made: Record<string, unknown> = { ...own }
  if (isJson(properties)) made.properties = convertAll(properties, shown)
  if (items !== undefined) made.items = customSchema(items, shown)
  if (isJson(additionalProperties)) made.additionalProperties = customSchema(additionalProperties, shown)
  const isWhole = schema["x-kubernetes-embedded-resource"] === true && !(isV2 && keepsUnknown(schema))
  return isWhole ? withObjectFields(made, shown) : made
}
