import { ErrorList } from "../ErrorList.ts"
import type { FieldErrors } from "../FieldError.ts"
import { eachAlternative, eachNamed, eachProperty, isJsonObject, isSet, type JsonObject } from "./JsonObject.ts"
import { checkListForm } from "./listForm.ts"
import { checkRuleForms } from "./ruleForm.ts"

/** What the surrounding schemas determine. */
interface Context {
  readonly isRoot: boolean
  /** Whether the schema describes apiVersion, kind or metadata of a whole object. */
  readonly isInMeta: boolean
  /** Why a default cannot stand here; undefined if it can. */
  readonly noDefaults: string | undefined
}

const types = ["array", "boolean", "integer", "number", "object", "string"]

/** The unsupported fields that are pointers or maps in Go, and count when they are empty. */
const pointers: ReadonlySet<string> = new Set(["additionalItems", "dependencies", "$ref"])
const unsupportedFields = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]

/** The fields that describe an object's type and metadata. */
const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"])

/**
 * Returns the errors of a schema's form. Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go,
 * ValidateCustomResourceDefinitionOpenAPISchema.
 */
export const schemaFormFaults = (schema: JsonObject, at: string): FieldErrors => {
  const errors = new ErrorList()
  checkSchema(errors, schema, at, { isRoot: true, isInMeta: false, noDefaults: undefined })
  return errors.all
}

const checkSchema = (errors: ErrorList, schema: JsonObject, at: string, context: Context): void => {
  checkFields(errors, schema, at, context)
  checkParts(errors, schema, at, { ...context, isRoot: false }, context.isRoot)
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined")
  }
  checkMapType(errors, schema, at)
  checkListForm(errors, schema, at)
  checkRuleForms(errors, schema, at)
}

const checkFields = (errors: ErrorList, schema: JsonObject, at: string, { isInMeta, noDefaults }: Context): void => {
  const { items, type = "" } = schema
  if (type !== "" && !types.includes(String(type))) errors.notSupportedText(`${at}.type`, String(type), types)
  if (schema.default !== undefined && schema.default !== null && noDefaults !== undefined) {
    errors.forbidden(`${at}.default`, `must not be set ${noDefaults}`)
  }
  for (const field of unsupportedFields) {
    if (isSet(schema[field]) || (pointers.has(field) && schema[field] !== undefined && schema[field] !== null))
      errors.forbidden(`${at}.${field}`, `${field} is not supported`)
  }
  if (type === "null") errors.forbidden(`${at}.type`, "type cannot be set to null, use nullable as an alternative")
  if (Array.isArray(items) && items.length > 0) {
    errors.forbidden(`${at}.items`, "items must be a schema object and not an array")
  }
  if (isInMeta && schema["x-kubernetes-embedded-resource"] === true) {
    errors.forbidden(`${at}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta")
  }
  if (schema.uniqueItems === true) {
    const text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
    errors.forbidden(`${at}.uniqueItems`, text)
  }
}

const checkParts = (errors: ErrorList, schema: JsonObject, at: string, context: Context, isRoot: boolean): void => {
  const { additionalProperties, items } = schema
  if (additionalProperties !== undefined && additionalProperties !== true && isSet(schema.properties)) {
    errors.forbidden(`${at}.additionalProperties`, "additionalProperties and properties are mutual exclusive")
  }
  if (isJsonObject(additionalProperties)) {
    const noDefaults = context.isInMeta ? "inside additionalProperties applying to object metadata" : context.noDefaults
    checkSchema(errors, additionalProperties, `${at}.additionalProperties`, { ...context, noDefaults })
  }
  eachProperty(schema, (property, name) => {
    const isMeta = metaFields.has(name) && (isRoot || schema["x-kubernetes-embedded-resource"] === true)
    const inner = !isMeta
      ? context
      : { ...context, isInMeta: true, noDefaults: isRoot ? `in top-level ${name}` : context.noDefaults }
    checkSchema(errors, property, `${at}.properties[${name}]`, inner)
  })
  eachAlternative(schema, at, ["not", "allOf", "oneOf", "anyOf"], (part, place) =>
    checkSchema(errors, part, place, context)
  )
  eachNamed(schema.definitions, (part, name) => checkSchema(errors, part, `${at}.definitions[${name}]`, context))
  if (isJsonObject(items)) checkSchema(errors, items, `${at}.items`, context)
  eachNamed(schema.dependencies, (part, name) => checkSchema(errors, part, `${at}.dependencies[${name}]`, context))
}

const checkMapType = (errors: ErrorList, schema: JsonObject, at: string): void => {
  const mapType = schema["x-kubernetes-map-type"]
  if (mapType === undefined) return
  const { type = "" } = schema
  const text = "must be object if x-kubernetes-map-type is specified"
  if (type === "") errors.required(`${at}.type`, text)
  else if (type !== "object") errors.invalid(`${at}.type`, type, text)
  const known = ["atomic", "granular"]
  if (!known.includes(String(mapType))) errors.notSupportedText(`${at}.x-kubernetes-map-type`, String(mapType), known)
}
