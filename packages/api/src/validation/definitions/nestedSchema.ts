import type { ErrorList } from "../ErrorList.ts"
import { eachAlternative, eachProperty, isJsonObject, isSet, type JsonObject } from "./JsonObject.ts"

/** Says why a pattern is no regular expression; undefined if it is one. */
export type PatternFault = (pattern: string) => string | undefined

/**
 * Fields that are forbidden in a schema within `allOf`, `anyOf`, `oneOf` or `not`: the surrounding schema defines them.
 */
const forbidden: ReadonlyArray<readonly [string, string]> = [
  ["type", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"]
]

/** Those that Go has as pointers: an empty text is a value. */
const pointers: ReadonlySet<string> = new Set(["default", "x-kubernetes-list-type", "x-kubernetes-map-type"])

/** Whether `anyOf` has an integer and a string, which is one form of an int-or-string. */
const isIntOrString = (anyOf: unknown): boolean =>
  Array.isArray(anyOf) &&
  anyOf.length === 2 &&
  anyOf.every((each, index) => {
    const type = index === 0 ? "integer" : "string"
    return isJsonObject(each) && Object.keys(each).length === 1 && each.type === type
  })

/**
 * Checks the nested schemas, and the pattern. Upstream: apiextensions-apiserver/pkg/apiserver/schema/validation.go,
 * validateValueValidation.
 */
export const checkAlternatives = (
  errors: ErrorList,
  schema: JsonObject,
  at: string,
  patternFault: PatternFault,
  skipsAnyOf = isIntOrString(schema.anyOf)
): void => {
  eachAlternative(schema, at, skipsAnyOf ? withoutAnyOf : allParts, (part, place, name, index) => {
    const isForm = name === "allOf" && index === 0 && isIntOrString(part.anyOf)
    checkNested(errors, part, place, patternFault, isForm)
  })
  const { pattern } = schema
  if (typeof pattern !== "string" || pattern === "") return
  const fault = patternFault(pattern)
  if (fault !== undefined) {
    errors.invalid(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)
  }
}

const allParts = ["anyOf", "allOf", "oneOf", "not"] as const
const withoutAnyOf = ["allOf", "oneOf", "not"] as const

const checkNested = (
  errors: ErrorList,
  schema: JsonObject,
  at: string,
  patternFault: PatternFault,
  skipsAnyOf = false
): void => {
  const { additionalProperties, items, properties } = schema
  checkAlternatives(errors, schema, at, patternFault, skipsAnyOf)
  if (isJsonObject(items)) checkNested(errors, items, `${at}.items`, patternFault)
  eachProperty(schema, (property, name) => checkNested(errors, property, `${at}.properties[${name}]`, patternFault))
  if (isJsonObject(properties) && properties.metadata !== undefined) {
    errors.forbidden(`${at}.properties[metadata]`, "must not be specified in a nested context")
  }
  if (additionalProperties !== undefined) {
    errors.forbidden(`${at}.additionalProperties`, "must be undefined to be structural")
  }
  for (const [name, text] of forbidden) {
    const value = schema[name]
    if (pointers.has(name) ? (value ?? undefined) !== undefined : isSet(value)) errors.forbidden(`${at}.${name}`, text)
  }
}
