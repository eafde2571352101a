import type { ErrorList } from "../ErrorList.ts"
import { typed } from "../FieldError.ts"
import { isJsonObject, type JsonObject } from "./JsonObject.ts"

const LIST_TYPE = "x-kubernetes-list-type"
const MAP_KEYS = "x-kubernetes-list-map-keys"

const known = ["atomic", "set", "map"]

/** Checks that a list with a list type can be merged by it, in Kubernetes' order. */
export const checkListForm = (errors: ErrorList, schema: JsonObject, at: string): void => {
  const listType = schema[LIST_TYPE]
  const { items, type = "" } = schema
  const keys: ReadonlyArray<unknown> = Array.isArray(schema[MAP_KEYS]) ? schema[MAP_KEYS] : []
  if (listType !== undefined && type !== "array") {
    const text = "must be array if x-kubernetes-list-type is specified"
    if (type === "") errors.required(`${at}.type`, text)
    else errors.invalid(`${at}.type`, type, text)
  } else if (listType === "set" && isJsonObject(items)) checkSetItems(errors, items, at)
  if (listType !== undefined && !known.includes(String(listType))) {
    errors.notSupportedText(`${at}.${LIST_TYPE}`, String(listType), known)
  }
  if (keys.length > 0 && listType !== "map") {
    const text = "must be map if x-kubernetes-list-map-keys is non-empty"
    if (listType === undefined) errors.required(`${at}.${LIST_TYPE}`, text)
    else errors.invalid(`${at}.${LIST_TYPE}`, listType, text)
  }
  if (listType === "map") checkMapItems(errors, items, keys, at)
  if (isJsonObject(items) && (listType === "map" || listType === "set")) checkNulls(errors, items, listType, keys, at)
}

const checkSetItems = (errors: ErrorList, items: JsonObject, at: string): void => {
  const text = "must be atomic as item of a list with x-kubernetes-list-type=set"
  const inner = items[LIST_TYPE]
  const shown = typeof inner === "string" ? typed(inner) : inner
  if (items.type === "array" && inner !== undefined && inner !== "atomic") {
    errors.invalid(`${at}.items.${LIST_TYPE}`, shown, text)
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    // Kubernetes shows the list type here.
    errors.invalid(`${at}.items.x-kubernetes-map-type`, shown, text)
  }
}

const checkMapItems = (errors: ErrorList, items: unknown, keys: ReadonlyArray<unknown>, at: string): void => {
  if (keys.length === 0) {
    errors.required(`${at}.${MAP_KEYS}`, "must not be empty if x-kubernetes-list-type is map")
  }
  if (items === undefined) {
    errors.required(`${at}.items`, "must have a schema if x-kubernetes-list-type is map")
    return
  }
  if (!isJsonObject(items)) {
    errors.invalid(`${at}.items`, items, "must only have a single schema if x-kubernetes-list-type is map")
    return
  }
  const { properties, type = "" } = items
  if (type !== "object") {
    const text = "must be object if parent array's x-kubernetes-list-type is map"
    errors.invalid(`${at}.items.type`, type, text)
    return
  }
  const seen = new Set<unknown>()
  for (const key of keys) {
    const property = isJsonObject(properties) ? properties[String(key)] : undefined
    if (!isJsonObject(property)) {
      errors.invalid(`${at}.${MAP_KEYS}`, keys, "entries must all be names of item properties")
    } else if (property.type === "array" || property.type === "object") {
      const text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.invalid(`${at}.items.properties[${key}].type`, type, text)
    }
    if (seen.has(key)) errors.invalid(`${at}.${MAP_KEYS}`, keys, "must not contain duplicate entries")
    seen.add(key)
  }
}

/** Checks that items and their keys cannot be null or absent. Upstream: validateMapListKeysMapSet. */
const checkNulls = (
  errors: ErrorList,
  items: JsonObject,
  listType: "map" | "set",
  keys: ReadonlyArray<unknown>,
  at: string
): void => {
  if (items.nullable === true) {
    errors.forbidden(`${at}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)
  }
  if (listType === "set") return
  const required: ReadonlyArray<unknown> = Array.isArray(items.required) ? items.required : []
  for (const key of keys) {
    const property = isJsonObject(items.properties) ? items.properties[String(key)] : undefined
    if (!isJsonObject(property)) continue
    const place = `${at}.items.properties[${key}]`
    if (!required.includes(key) && (property.default === undefined || property.default === null)) {
      const text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
      errors.required(`${place}.default`, text)
    }
    if (property.nullable === true) {
      const text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
      errors.forbidden(`${place}.nullable`, text)
    }
  }
}
