import type { ErrorList } from "./ErrorList.ts"
import { checkAlternatives } from "./nestedSchema.ts"

/**
 * Checks that the schema of a custom resource is structural: it declares the type of every field. Upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/validation.go and pkg/apis/apiextensions/validation,
 * ValidateCustomResourceDefinition.
 */

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const types = ["array", "boolean", "integer", "number", "object", "string"]

/** The position in the schema, on which the required fields depend. */
type Level = "root" | "field" | "item"

const emptyTexts: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items"
}

const free = (schema: Json): boolean =>
  schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true

const checkType = (errors: ErrorList, schema: Json, at: string, level: Level): void => {
  const type = schema.type
  if (type === undefined || type === "") {
    if (level === "root" || !free(schema)) errors.required(`${at}.type`, emptyTexts[level])
  } else if (typeof type !== "string" || !types.includes(type)) {
    errors.notSupported(`${at}.type`, type, types)
  } else if (level === "root" && type !== "object") {
    errors.invalid(`${at}.type`, type, "must be object at the root")
  }
}

const checkForbidden = (errors: ErrorList, schema: Json, at: string): void => {
  if (schema.uniqueItems === true) {
    errors.forbidden(
      `${at}.uniqueItems`,
      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
    )
  }
  const { additionalProperties } = schema
  if (additionalProperties !== undefined) {
    if (isJson(schema.properties) && Object.keys(schema.properties).length > 0) {
      errors.forbidden(`${at}.additionalProperties`, "additionalProperties and properties are mutual exclusive")
    }
  }
  for (const field of ["definitions", "dependencies", "patternProperties", "id", "additionalItems"]) {
    if (schema[field] !== undefined) errors.forbidden(`${at}.${field}`, `${field} is not supported`)
  }
  if (schema.$ref !== undefined) errors.forbidden(`${at}.$ref`, "$ref is not supported")
}

const checkListType = (errors: ErrorList, schema: Json, at: string): void => {
  const listType = schema["x-kubernetes-list-type"]
  if (listType === undefined) return
  const known = ["atomic", "map", "set"]
  if (typeof listType !== "string" || !known.includes(listType)) {
    errors.notSupported(`${at}.x-kubernetes-list-type`, listType, known)
  } else if (schema.type !== "array") {
    errors.invalid(`${at}.type`, schema.type ?? "", "must be array if x-kubernetes-list-type is specified")
  } else if (listType === "map") {
    const keys = schema["x-kubernetes-list-map-keys"]
    if (!Array.isArray(keys) || keys.length === 0) {
      errors.required(`${at}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map")
    }
  }
}

export const validateStructuralSchema = (
  errors: ErrorList,
  schema: unknown,
  at: string,
  level: Level = "root"
): void => {
  if (!isJson(schema)) return
  checkAlternatives(errors, schema, at)
  checkType(errors, schema, at, level)
  checkForbidden(errors, schema, at)
  checkListType(errors, schema, at)
  const { additionalProperties, items, properties } = schema
  if (isJson(properties)) {
    for (const name of Object.keys(properties).sort()) {
      validateStructuralSchema(errors, properties[name], `${at}.properties[${name}]`, "field")
    }
  }
  if (isJson(additionalProperties)) {
    validateStructuralSchema(errors, additionalProperties, `${at}.additionalProperties`, "field")
  }
  if (isJson(items)) validateStructuralSchema(errors, items, `${at}.items`, "item")
  else if (schema.type === "array" && items === undefined) errors.required(`${at}.items`, "must be specified")
}
