import { ErrorList } from "../ErrorList.ts"
import { type FieldErrors, fieldErrorText } from "../FieldError.ts"
import { checkCompleteness } from "./completeness.ts"
import { eachProperty, isJsonObject, isSet, type JsonObject } from "./JsonObject.ts"
import { checkAlternatives, type PatternFault } from "./nestedSchema.ts"

/** The position in the schema, on which the required fields depend. */
type Level = "root" | "field" | "item"

const emptyTexts: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items"
}

/** The fields that a structural schema cannot have; the first one stops Kubernetes' conversion. */
const unsupported: ReadonlyArray<readonly [field: string, name: string]> = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"]
]

/**
 * Returns why a schema cannot be converted to a structural one; undefined if it can. Upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/convert.go.
 */
export const conversionFault = (schema: JsonObject): string | undefined => {
  for (const [field, name] of unsupported) {
    const value = schema[field]
    // This one is a pointer, to what may be an empty schema, or false.
    const isGiven = field === "additionalItems" ? value !== undefined && value !== null : isSet(value)
    if (isGiven) return `OpenAPIV3Schema '${name}' is not supported`
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  const { additionalProperties, allOf, anyOf, items, not, oneOf, properties } = schema
  if (Array.isArray(items) && items.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  const parts = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  for (const part of [...parts, not, items, ...Object.values(properties ?? {}), additionalProperties]) {
    const fault = isJsonObject(part) ? conversionFault(part) : undefined
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Returns the errors of a schema that is not structural, sorted by their texts: every field must be declared with its
 * type. `patternFault` says why a pattern is no regular expression. Upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/{validation,complete}.go.
 */
export const structuralFaults = (schema: JsonObject, at: string, patternFault: PatternFault): FieldErrors => {
  const errors = new ErrorList()
  checkInvariants({ errors, patternFault }, schema, at, "root")
  checkCompleteness(errors, schema, at)
  if (errors.size < 2) return errors.all
  const texts = new Map(errors.all.map((error) => [error, fieldErrorText(error)]))
  const textOf = (error: FieldErrors[number]) => texts.get(error) ?? ""
  return [...errors.all].sort((a, b) => (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0))
}

interface Run {
  readonly errors: ErrorList
  readonly patternFault: PatternFault
}

const checkInvariants = (run: Run, schema: JsonObject, at: string, level: Level): void => {
  const { errors, patternFault } = run
  const { additionalProperties, items } = schema
  if (schema.type === "array" && !isJsonObject(items)) errors.required(`${at}.items`, "must be specified")
  if (isJsonObject(items)) checkInvariants(run, items, `${at}.items`, "item")
  eachProperty(schema, (property, name) => checkInvariants(run, property, `${at}.properties[${name}]`, "field"))
  if (additionalProperties !== undefined && level === "root") {
    errors.forbidden(`${at}.additionalProperties`, "must not be used at the root")
  }
  if (isJsonObject(additionalProperties)) {
    checkInvariants(run, additionalProperties, `${at}.additionalProperties`, "field")
  }
  checkExtensions(errors, schema, at)
  checkAlternatives(errors, schema, at, patternFault)
  checkType(errors, schema, at, level)
  checkTypeMeta(errors, schema, at, level)
}

const isEmbedded = (schema: JsonObject): boolean => schema["x-kubernetes-embedded-resource"] === true

const keepsUnknown = (schema: JsonObject): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true

const isIntOrString = (schema: JsonObject): boolean => schema["x-kubernetes-int-or-string"] === true

const checkExtensions = (errors: ErrorList, schema: JsonObject, at: string): void => {
  if (isIntOrString(schema)) {
    for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]) {
      if (schema[name] === true) {
        errors.invalid(`${at}.${name}`, true, "must be false if x-kubernetes-int-or-string is true")
      }
    }
  }
  if (!isEmbedded(schema)) return
  if (schema.additionalProperties !== undefined) {
    errors.forbidden(`${at}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set")
  }
  if (!keepsUnknown(schema) && !isSet(schema.properties)) {
    const text =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
    errors.required(`${at}.properties`, text)
  }
}

const checkType = (errors: ErrorList, schema: JsonObject, at: string, level: Level): void => {
  const { type = "" } = schema
  if (isEmbedded(schema) && type !== "object") {
    const text = "must be object if x-kubernetes-embedded-resource is true"
    if (type === "") errors.required(`${at}.type`, text)
    else errors.invalid(`${at}.type`, type, text)
  } else if (type === "" && !isIntOrString(schema) && !keepsUnknown(schema)) {
    errors.required(`${at}.type`, emptyTexts[level])
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.invalid(`${at}.type`, type, "must be object at the root")
  }
}

const checkTypeMeta = (errors: ErrorList, schema: JsonObject, at: string, level: Level): void => {
  const isWhole = level === "root" || isEmbedded(schema)
  eachProperty(schema, (property, name) => {
    const place = `${at}.properties[${name}]`
    const { type = "" } = property
    if (isWhole && (name === "kind" || name === "apiVersion") && type !== "string") {
      errors.invalid(`${place}.type`, type, "must be string")
    }
    if (name !== "metadata") return
    if (isWhole && type !== "object") errors.invalid(`${place}.type`, type, "must be object")
    if (level === "root" && saysMoreThanNames(property)) {
      const text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
      errors.forbidden(place, text)
    }
  })
}

/** Fields that do not count: a structural schema has none of them, or others check them. */
const uncounted: ReadonlySet<string> = new Set(["type", "default", "externalDocs", "example"])

const saysMoreThanNames = (metadata: JsonObject): boolean =>
  Object.entries(metadata).some(([field, value]) => {
    if (uncounted.has(field) || !isSet(value)) return false
    if (field !== "properties" || !isJsonObject(value)) return true
    return Object.keys(value).some((name) => name !== "name" && name !== "generateName")
  })
