import { type FieldType, type MessageType, type WireType, wireTypeNamed } from "@rollcall/api/wire"
import { type JsonSchema, preservesUnknown, typeMetaFields, valuesOf } from "./JsonSchema.ts"

/**
 * Returns the wire type of a schema, for strict decoding and server-side apply.
 * Upstream: apiextensions-apiserver/pkg/controller/openapi/builder.
 */
export const messageOf = (
  gvk: { readonly group: string; readonly version: string; readonly kind: string },
  schema: JsonSchema
): MessageType => {
  const message = objectMessage(schema, gvk.kind, preservesUnknown(schema))
  const fields = new Map(message.fields)
  for (const name of typeMetaFields) fields.delete(name)
  const metadata = metadataField()
  return { ...message, fields: metadata === undefined ? fields : new Map([["metadata", metadata], ...fields]), gvk }
}

const ANY: WireType = { type: "scalar", scalar: "any" }
/** Any object: what is none is kept, but not applied. */
const ANY_OBJECT: WireType = { type: "scalar", scalar: "any", isObject: true }
/** Upstream: schema/pruning, which has no schema for these values. */
const PRUNED: WireType = { type: "scalar", scalar: "any", isPruned: true }
const STRING: WireType = { type: "scalar", scalar: "string" }
/** Of an embedded resource, which is not decoded with another value. Upstream: schema/objectmeta/algorithm.go. */
const TYPE_META: WireType = { type: "scalar", scalar: "string", isTypeMeta: true }
/** A text with a format: an apply may set any scalar. Upstream: kube-openapi/pkg/schemaconv/proto_models.go. */
const FORMATTED: WireType = { type: "scalar", scalar: "string", isUntyped: true }

/** Returns a field without a protobuf number: custom resources have no protobuf form. */
const fieldOf = (name: string, type: WireType, more: Pick<FieldType, "default" | "required">): FieldType => ({
  name,
  number: 0,
  type,
  omitEmpty: true,
  pointer: true,
  ...more
})

const metadataField = (): FieldType | undefined => {
  const message = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  return message && fieldOf("metadata", { type: "message", message }, { required: false })
}

/** `isOpen`: what applies it may set any field, since this schema, or one around it, keeps unknown ones. */
const objectMessage = (schema: JsonSchema, name: string, isOpen: boolean): MessageType => {
  const fields = new Map<string, FieldType>()
  const required = new Set(schema.required)
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    const standard = property.default === undefined ? {} : { default: property.default }
    fields.set(field, fieldOf(field, typeOf(property, field, isOpen), { required: required.has(field), ...standard }))
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    const metadata = metadataField()
    for (const field of ["apiVersion", "kind"]) fields.set(field, fieldOf(field, TYPE_META, { required: true }))
    if (metadata !== undefined) fields.set("metadata", metadata)
  }
  const message = {
    fullName: name,
    name,
    goPackage: "unstructured",
    fields,
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    ...((isOpen || fields.size === 0) && { ownsUnknown: true })
  }
  return preservesUnknown(schema) ? { ...message, preserveUnknown: true } : message
}

const typeOf = (schema: JsonSchema, name: string, isWithinOpen: boolean): WireType => {
  const isOpen = isWithinOpen || preservesUnknown(schema)
  if (schema["x-kubernetes-int-or-string"] === true) return { type: "scalar", scalar: "IntOrString" }
  switch (schema.type) {
    case "string":
      return schema.format === undefined || schema.format === "" || schema.format === "byte" ? STRING : FORMATTED
    case "boolean":
      return { type: "scalar", scalar: "bool" }
    case "integer":
      return { type: "scalar", scalar: "int64" }
    case "number":
      return { type: "scalar", scalar: "double" }
    case "array":
      return {
        type: "list",
        items: schema.items === undefined ? ANY : typeOf(schema.items, name, isOpen),
        listType: schema["x-kubernetes-list-type"] ?? "atomic",
        keys: schema["x-kubernetes-list-map-keys"] ?? []
      }
    case "object":
      return objectType(schema, name, isOpen)
    default:
      return ANY
  }
}

const objectType = (schema: JsonSchema, name: string, isOpen: boolean): WireType => {
  const values = valuesOf(schema)
  const mapType = schema["x-kubernetes-map-type"] ?? "granular"
  if (values !== undefined) return { type: "map", values: typeOf(values, name, isOpen), mapType }
  if (schema.additionalProperties === true) return { type: "map", values: PRUNED, mapType }
  const bare = Object.keys(schema.properties ?? {}).length === 0 && schema["x-kubernetes-embedded-resource"] !== true
  if (bare && preservesUnknown(schema)) return mapType === "atomic" ? { type: "map", values: ANY, mapType } : ANY_OBJECT
  return { type: "message", message: objectMessage(schema, name, isOpen) }
}
