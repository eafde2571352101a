import { isJsonObject, type JsonObject } from "./JsonObject.ts"

/*
 * The form that a definition has inside Kubernetes: what all versions have in common stands once, and errors print
 * values with the names of Go's fields. Upstream: apiextensions-apiserver/pkg/apis/apiextensions/{types,
 * types_jsonschema}.go and v1/conversion.go.
 */

/** How a field is printed when it is absent, or the function that prints its value. */
type Form = "text" | "flag" | "number" | "null" | ((value: unknown) => unknown)

type Shape = ReadonlyArray<readonly [goName: string, jsonName: string, form: Form]>

const absent: Readonly<Record<"text" | "flag" | "number" | "null", unknown>> = {
  text: "",
  flag: false,
  number: 0,
  null: null
}

const printed = (value: JsonObject, shape: Shape): JsonObject => {
  const made: Record<string, unknown> = {}
  for (const [goName, jsonName, form] of shape) {
    const given = value[jsonName]
    if (typeof form === "function") made[goName] = given === undefined || given === null ? null : form(given)
    else made[goName] = given ?? absent[form]
  }
  return made
}

const object =
  (shape: Shape) =>
  (value: unknown): unknown =>
    isJsonObject(value) ? printed(value, shape) : null

const listOf =
  (form: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    Array.isArray(value) ? value.map(form) : null

const mapOf =
  (form: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, form(value[name])])
        )
      : null

/** Prints a JSON schema. */
export const printedSchema = (value: unknown): unknown => (isJsonObject(value) ? printed(value, schemaShape) : null)

const schemaOrFlag = (value: unknown): unknown => ({
  Allows: typeof value === "boolean" ? value : true,
  Schema: printedSchema(value)
})

const schemaOrList = (value: unknown): unknown => ({
  Schema: printedSchema(value),
  JSONSchemas: Array.isArray(value) ? value.map(printedSchema) : null
})

const schemaOrNames = (value: unknown): unknown => ({
  Schema: printedSchema(value),
  Property: Array.isArray(value) ? value : null
})

const ruleShape: Shape = [
  ["Rule", "rule", "text"],
  ["Message", "message", "text"],
  ["MessageExpression", "messageExpression", "text"],
  ["Reason", "reason", "null"],
  ["FieldPath", "fieldPath", "text"],
  ["OptionalOldSelf", "optionalOldSelf", "null"]
]

/** Prints a validation rule. */
export const printedRule = object(ruleShape)

/** The fields of a JSON schema, in Kubernetes' order. */
export const schemaShape: Shape = [
  ["ID", "id", "text"],
  ["Schema", "$schema", "text"],
  ["Ref", "$ref", "null"],
  ["Description", "description", "text"],
  ["Type", "type", "text"],
  ["Nullable", "nullable", "flag"],
  ["Format", "format", "text"],
  ["Title", "title", "text"],
  ["Default", "default", "null"],
  ["Maximum", "maximum", "null"],
  ["ExclusiveMaximum", "exclusiveMaximum", "flag"],
  ["Minimum", "minimum", "null"],
  ["ExclusiveMinimum", "exclusiveMinimum", "flag"],
  ["MaxLength", "maxLength", "null"],
  ["MinLength", "minLength", "null"],
  ["Pattern", "pattern", "text"],
  ["MaxItems", "maxItems", "null"],
  ["MinItems", "minItems", "null"],
  ["UniqueItems", "uniqueItems", "flag"],
  ["MultipleOf", "multipleOf", "null"],
  ["Enum", "enum", "null"],
  ["MaxProperties", "maxProperties", "null"],
  ["MinProperties", "minProperties", "null"],
  ["Required", "required", "null"],
  ["Items", "items", schemaOrList],
  ["AllOf", "allOf", listOf(printedSchema)],
  ["OneOf", "oneOf", listOf(printedSchema)],
  ["AnyOf", "anyOf", listOf(printedSchema)],
  ["Not", "not", printedSchema],
  ["Properties", "properties", mapOf(printedSchema)],
  ["AdditionalProperties", "additionalProperties", schemaOrFlag],
  ["PatternProperties", "patternProperties", mapOf(printedSchema)],
  ["Dependencies", "dependencies", mapOf(schemaOrNames)],
  ["AdditionalItems", "additionalItems", schemaOrFlag],
  ["Definitions", "definitions", mapOf(printedSchema)],
  [
    "ExternalDocs",
    "externalDocs",
    object([
      ["Description", "description", "text"],
      ["URL", "url", "text"]
    ])
  ],
  ["Example", "example", "null"],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", "null"],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", "flag"],
  ["XIntOrString", "x-kubernetes-int-or-string", "flag"],
  ["XListMapKeys", "x-kubernetes-list-map-keys", "null"],
  ["XListType", "x-kubernetes-list-type", "null"],
  ["XMapType", "x-kubernetes-map-type", "null"],
  ["XValidations", "x-kubernetes-validations", listOf(printedRule)]
]

const scaleShape: Shape = [
  ["SpecReplicasPath", "specReplicasPath", "text"],
  ["StatusReplicasPath", "statusReplicasPath", "text"],
  ["LabelSelectorPath", "labelSelectorPath", "null"]
]

const columnShape: Shape = [
  ["Name", "name", "text"],
  ["Type", "type", "text"],
  ["Format", "format", "text"],
  ["Description", "description", "text"],
  ["Priority", "priority", "number"],
  ["JSONPath", "jsonPath", "text"]
]

const versionShape: Shape = [
  ["Name", "name", "text"],
  ["Served", "served", "flag"],
  ["Storage", "storage", "flag"],
  ["Deprecated", "deprecated", "flag"],
  ["DeprecationWarning", "deprecationWarning", "null"],
  ["Schema", "schema", object([["OpenAPIV3Schema", "openAPIV3Schema", printedSchema]])],
  [
    "Subresources",
    "subresources",
    object([
      ["Status", "status", object([])],
      ["Scale", "scale", object(scaleShape)]
    ])
  ],
  ["AdditionalPrinterColumns", "additionalPrinterColumns", listOf(object(columnShape))],
  ["SelectableFields", "selectableFields", listOf(object([["JSONPath", "jsonPath", "text"]]))]
]

/** Prints the versions of a definition. */
export const printedVersions = (versions: ReadonlyArray<object>): unknown =>
  versions.map((version) => printed(version as JsonObject, versionShape))
