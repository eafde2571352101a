import type { Json } from "./OpenApiKind.ts"
import type { OpenApiVersion } from "./Schemas.ts"

/**
 * Fields that version 2 does not support. Upstream: apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go.
 */
const unsupportedInV2 = ["nullable", "anyOf", "oneOf", "allOf", "not", "default", "x-kubernetes-validations"]

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Converts a map of schemas. */
const convertAll = (schemas: unknown, version: OpenApiVersion): Json =>
  Object.fromEntries(
    Object.entries(isJson(schemas) ? schemas : {}).map(([name, schema]) => [name, customSchema(schema, version)])
  )

/** Converts the schema of a custom resource's definition for the documents. */
export const customSchema = (schema: unknown, version: OpenApiVersion): Json => {
  if (!isJson(schema)) return {}
  const { additionalProperties, items, properties, ...rest } = schema
  const keepsUnknown = rest["x-kubernetes-preserve-unknown-fields"] === true
  const made: Record<string, unknown> = { ...rest }
  if (version === "v2") for (const name of unsupportedInV2) delete made[name]
  // OpenApiVersion 2 cannot express nullable values and preserved unknown fields: the schema is omitted.
  if (version === "v2" && (schema.nullable === true || keepsUnknown)) {
    delete made.type
    return made
  }
  if (rest["x-kubernetes-int-or-string"] === true && version === "v3" && made.oneOf === undefined) {
    made.oneOf = [{ type: "integer" }, { type: "string" }]
  }
  if (properties !== undefined) made.properties = convertAll(properties, version)
  if (items !== undefined) made.items = customSchema(items, version)
  if (isJson(additionalProperties)) made.additionalProperties = customSchema(additionalProperties, version)
  if (rest["x-kubernetes-embedded-resource"] === true) {
    made.properties = {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      ...convertAll(properties, version)
    }
  }
  return made
}
