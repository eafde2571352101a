import type { ErrorList } from "../ErrorList.ts"
import { eachAlternative, eachProperty, isJsonObject, type JsonObject } from "./JsonObject.ts"

const parts = ["not", "allOf", "anyOf", "oneOf"] as const

/**
 * Checks that the surrounding schema declares every field that a nested schema restricts. Upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/complete.go.
 */
export const checkCompleteness = (errors: ErrorList, schema: JsonObject, at: string): void =>
  checkParts(errors, schema, schema, at, at)

const checkParts = (errors: ErrorList, nested: JsonObject, schema: JsonObject, at: string, nestedAt: string): void =>
  eachAlternative(nested, nestedAt, parts, (part, partAt) => checkPart(errors, part, schema, at, partAt))

const checkPart = (errors: ErrorList, nested: JsonObject, schema: unknown, at: string, nestedAt: string): void => {
  if (!isJsonObject(schema)) {
    errors.required(at, `because it is defined in ${nestedAt}`)
    return
  }
  checkParts(errors, nested, schema, at, nestedAt)
  if (isJsonObject(nested.items)) checkPart(errors, nested.items, schema.items, `${at}.items`, `${nestedAt}.items`)
  const { properties } = schema
  eachProperty(nested, (property, name) => {
    const declared = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    checkPart(errors, property, declared, `${at}.properties[${name}]`, `${nestedAt}.properties[${name}]`)
  })
}
