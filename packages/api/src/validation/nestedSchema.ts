import type { ErrorList } from "./ErrorList.ts"

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Fields that are forbidden in a schema within `allOf`, `anyOf`, `oneOf` or `not`: the surrounding schema defines them.
 */
const forbidden: ReadonlyArray<readonly [string, string]> = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
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

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0)

/** Whether `anyOf` has an integer and a string, which is one form of an int-or-string. */
const isIntOrString = (anyOf: unknown): boolean =>
  Array.isArray(anyOf) &&
  anyOf.length === 2 &&
  anyOf.every((each, index) => {
    const type = index === 0 ? "integer" : "string"
    return isJson(each) && Object.keys(each).length === 1 && each.type === type
  })

/**
 * Checks the nested schemas. Upstream: apiextensions-apiserver/pkg/apiserver/schema/validation.go,
 * validateValueValidation.
 */
export const checkAlternatives = (errors: ErrorList, schema: Json, at: string): void =>
  checkParts(errors, schema, at, isIntOrString(schema.anyOf))

const checkParts = (errors: ErrorList, schema: Json, at: string, skipAnyOf: boolean): void => {
  const { allOf, anyOf, not, oneOf } = schema
  const each = (name: string, schemas: unknown, visit: (part: Json, at: string, index: number) => void): void => {
    if (!Array.isArray(schemas)) return
    schemas.forEach((part, index) => {
      if (isJson(part)) visit(part, `${at}.${name}[${index}]`, index)
    })
  }
  const nested = (part: Json, place: string) => checkNested(errors, part, place)
  each("allOf", allOf, (part, place, index) =>
    checkNested(errors, part, place, index === 0 && isIntOrString(part.anyOf))
  )
  if (!skipAnyOf) each("anyOf", anyOf, nested)
  each("oneOf", oneOf, nested)
  if (isJson(not)) nested(not, `${at}.not`)
}

const checkNested = (errors: ErrorList, schema: Json, at: string, skipAnyOf = false): void => {
  const { items, properties } = schema
  checkParts(errors, schema, at, skipAnyOf)
  if (isJson(items)) checkNested(errors, items, `${at}.items`)
  if (isJson(properties)) {
    for (const name of Object.keys(properties).sort()) {
      const property = properties[name]
      if (isJson(property)) checkNested(errors, property, `${at}.properties[${name}]`)
    }
    if (properties.metadata !== undefined) {
      errors.forbidden(`${at}.properties[metadata]`, "must not be specified in a nested context")
    }
  }
  for (const [name, text] of forbidden) if (isSet(schema[name])) errors.forbidden(`${at}.${name}`, text)
}
