import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import type { Json, JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import type { Resource } from "./Resource.ts"

const GROUP = "custom.example.com"
const MAX_DEPTH = 3

const scalars: Readonly<Record<string, ReadonlyArray<JsonObject>>> = {
  string: [{}, { maxLength: 3 }, { pattern: "^a" }, { enum: ["a", "b"] }, { format: "date-time" }, { default: "a" }],
  integer: [{}, { minimum: 0 }, { maximum: 10 }, { format: "int32" }, { multipleOf: 2 }, { default: 1 }],
  number: [{}, { minimum: 0, exclusiveMinimum: true }],
  boolean: [{}, { default: true }]
}

const randomSchema = (random: Random, depth: number): JsonObject => {
  const kinds =
    depth < MAX_DEPTH
      ? ["string", "integer", "number", "boolean", "object", "map", "array", "any"]
      : ["string", "integer"]
  const kind = random.pick(kinds)
  const nullable = random.chance(0.1) ? { nullable: true } : {}
  switch (kind) {
    case "object": {
      const names = ["a", "b", "c"].slice(0, 1 + random.below(3))
      const properties = Object.fromEntries(names.map((name) => [name, randomSchema(random, depth + 1)]))
      const required = random.chance(0.3) ? { required: ["a"] } : {}
      const open = random.chance(0.1) ? { "x-kubernetes-preserve-unknown-fields": true } : {}
      return { type: "object", properties, ...required, ...open, ...nullable }
    }
    case "map":
      return { type: "object", additionalProperties: randomSchema(random, depth + 1), ...nullable }
    case "array": {
      const bounds = random.pick<JsonObject>([{}, { maxItems: 2 }, { minItems: 1 }])
      return { type: "array", items: randomSchema(random, depth + 1), ...bounds, ...nullable }
    }
    case "any":
      return random.pick<JsonObject>([
        { "x-kubernetes-int-or-string": true },
        { type: "object", "x-kubernetes-preserve-unknown-fields": true }
      ])
    default:
      return { type: kind, ...random.pick(scalars[kind] ?? [{}]), ...nullable }
  }
}

const scalarOf: Readonly<Record<string, Scalar>> = {
  string: "string",
  integer: "int64",
  number: "double",
  boolean: "bool"
}

const typeOf = (schema: JsonObject): WireType => {
  const { additionalProperties, items, properties, type } = schema
  if (type === "object" && properties !== undefined) {
    return { type: "message", message: messageOf(properties as Readonly<Record<string, JsonObject>>) }
  }
  if (type === "object" && additionalProperties !== undefined)
    return { type: "map", values: typeOf(additionalProperties as JsonObject), mapType: "granular" }
  if (type === "array") return { type: "list", items: typeOf(items as JsonObject), listType: "atomic", keys: [] }
  return {
    type: "scalar",
    scalar: schema["x-kubernetes-int-or-string"] ? "IntOrString" : (scalarOf[String(type)] ?? "any")
  }
}

const messageOf = (properties: Readonly<Record<string, JsonObject>>): MessageType => {
  const fields = Object.entries(properties).map(([name, schema], index): [string, FieldType] => [
    name,
    { name, number: index + 1, type: typeOf(schema), required: false, omitEmpty: true, pointer: false }
  ])
  return { fullName: "custom", name: "custom", goPackage: "v1", fields: new Map(fields), atomic: false }
}

const validValue = (schema: JsonObject): Json => {
  if (schema["x-kubernetes-int-or-string"]) return 1
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const { additionalProperties, items, properties, type } = schema
  switch (type) {
    case "object":
      if (additionalProperties !== undefined) return { k: validValue(additionalProperties as JsonObject) }
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Readonly<Record<string, JsonObject>>).map(([name, each]) => [
          name,
          validValue(each)
        ])
      )
    case "array":
      return [validValue(items as JsonObject)]
    case "integer":
    case "number":
      return 2
    case "boolean":
      return true
    default:
      return schema.format === "date-time" ? "2021-03-04T05:06:07Z" : "a"
  }
}

const withMetadata = (type: MessageType, message: MessageType): MessageType => {
  const field: FieldType = {
    name: "metadata",
    number: 9,
    type: { type: "message", message },
    required: false,
    omitEmpty: true,
    pointer: false
  }
  return { ...type, fields: new Map([...type.fields, ["metadata", field]]) }
}

/** A resource of random definition, and the definition. */
export interface CustomResource {
  readonly resource: Resource
  readonly definition: JsonObject
}

/** Makes a custom resource with a random schema. */
export const customResource = (random: Random, number: number, metadata: MessageType | undefined): CustomResource => {
  const [kind, plural] = [`Custom${number}`, `custom${number}s`]
  const names = ["a", "b", "c", "d"]
  const spec: JsonObject = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, randomSchema(random, 1)]))
  }
  const status: JsonObject = { type: "object", properties: { replicas: { type: "integer" }, note: { type: "string" } } }
  const subresources = random.pick<JsonObject>([
    {},
    { status: {} },
    { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } }
  ])
  const all = {
    spec: { ...spec, properties: { ...(spec.properties as JsonObject), replicas: { type: "integer" } } },
    status
  }
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: all } },
    subresources
  }
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: "Namespaced", names: { plural, kind }, versions: [version] }
  }
  const parts = messageOf(all as Readonly<Record<string, JsonObject>>)
  const type = metadata === undefined ? parts : withMetadata(parts, metadata)
  const resource = {
    kind,
    plural,
    apiVersion: `${GROUP}/v1`,
    namespaced: true,
    type,
    isDry: false,
    isCustom: true,
    base: { spec: { ...(validValue(spec) as JsonObject), replicas: 1 } }
  }
  return { resource, definition }
}
