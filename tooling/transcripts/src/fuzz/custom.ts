import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import type { Json, JsonObject } from "../Case.ts"
import type { Random } from "./Random.ts"
import type { Resource } from "./Resource.ts"
import { randomSchema, validValue } from "./schemas.ts"

const GROUP = "custom.example.com"

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

const columns: Json = [
  { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
  { name: "A", type: "string", jsonPath: ".spec.a", priority: 1 },
  { name: "Note", type: "string", jsonPath: ".status.note" },
  { name: "Since", type: "date", jsonPath: ".metadata.creationTimestamp" }
]

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

/** Resources of one random definition, by version, and the definition. */
export interface CustomResource {
  readonly resources: ReadonlyArray<Resource>
  readonly definition: JsonObject
}

const columnsOf = (random: Random) => random.chance(0.5) && { additionalPrinterColumns: columns }

const selectableOf = (random: Random) => random.chance(0.5) && { selectableFields: [{ jsonPath: ".spec.replicas" }] }

/** Returns a schema without some of its fields, with others, or with defaults of its own. */
const otherSchema = (random: Random, { properties, ...schema }: JsonObject): JsonObject => {
  const { spec, status } = properties as Readonly<Record<string, JsonObject>>
  const fields = Object.entries((spec?.properties ?? {}) as JsonObject).filter(() => random.chance(0.8))
  const added = random.chance(0.6) ? { e: { type: "string", default: "other" } } : {}
  return {
    ...schema,
    properties: { spec: { ...spec, properties: { ...Object.fromEntries(fields), ...added } }, status: status ?? {} }
  }
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
  const openAPIV3Schema: JsonObject = { type: "object", properties: all }
  const hasOther = random.chance(0.6)
  const isStored = !hasOther || random.chance(0.5)
  const version = {
    name: "v1",
    served: true,
    storage: isStored,
    schema: { openAPIV3Schema },
    subresources,
    ...columnsOf(random),
    ...selectableOf(random)
  }
  const other = {
    ...version,
    name: "v2alpha1",
    storage: !isStored,
    schema: { openAPIV3Schema: otherSchema(random, openAPIV3Schema) },
    ...random.pick<JsonObject>([{}, { deprecated: true }, { deprecated: true, deprecationWarning: "use v1" }]),
    ...columnsOf(random)
  }
  const versions = hasOther ? [version, other] : [version]
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: "Namespaced", names: { plural, kind }, versions }
  }
  const parts = messageOf(all as Readonly<Record<string, JsonObject>>)
  const type = metadata === undefined ? parts : withMetadata(parts, metadata)
  const resourceOf = (name: string): Resource => ({
    kind,
    plural,
    apiVersion: `${GROUP}/${name}`,
    namespaced: true,
    type,
    isDry: false,
    isCustom: true,
    base: { spec: { ...(validValue(spec) as JsonObject), replicas: 1 } },
    ...(hasOther && { otherVersion: `${GROUP}/${name === "v1" ? "v2alpha1" : "v1"}` })
  })
  return { resources: versions.map(({ name }) => resourceOf(name)), definition }
}
