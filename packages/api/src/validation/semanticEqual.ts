import * as Predicate from "effect/Predicate"
import { memberOf } from "../memberOf.ts"
import { equalQuantity } from "../quantity/Quantity.ts"

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (Predicate.isReadonlyObject(value) && Object.values(value).every((part) => part === undefined))

/** Fields that hold quantities, directly or by resource name. */
const quantityFields: ReadonlySet<string> = new Set(["limits", "requests", "overhead", "sizeLimit"])

const isQuantity = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** Fields that hold maps from keys to texts, where a key with an empty text is not an absent one. */
const mapFields: ReadonlySet<string> = new Set([
  "annotations",
  "attributes",
  "binaryData",
  "data",
  "labels",
  "matchLabels",
  "nodeSelector",
  "options",
  "parameters",
  "volumeAttributes"
])

const sameKeys = (a: object, b: object): boolean => {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key))
}

const equal = (a: unknown, b: unknown, quantities: boolean): boolean => {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true
  if (quantities && isQuantity(a) && isQuantity(b)) return equalQuantity(a, b)
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => equal(item, b[index], false))
  }
  if (!Predicate.isReadonlyObject(a) || !Predicate.isReadonlyObject(b)) return false
  for (const key of Object.keys(a)) {
    const other = memberOf(b, key)
    if (!equal(a[key], other, quantities || quantityFields.has(key))) return false
    if (mapFields.has(key) && !semanticEqualMaps(a[key], other)) return false
  }
  for (const key of Object.keys(b)) {
    if (!Object.hasOwn(a, key) && !isEmpty(b[key])) return false
  }
  return true
}

/** Whether two maps from keys to texts are equal; an absent one equals an empty one. */
export const semanticEqualMaps = (a: unknown, b: unknown): boolean =>
  sameKeys(Predicate.isReadonlyObject(a) ? a : {}, Predicate.isReadonlyObject(b) ? b : {}) && equal(a, b, false)

/**
 * Whether two values are semantically equal: an absent field equals an empty one, and quantities are compared by value.
 * Parts shared by reference are not compared. Upstream: apimachinery/pkg/api/equality/semantic.go.
 */
export const semanticEqual = (a: unknown, b: unknown): boolean => equal(a, b, false)
