import { isFields, sameValue } from "@rollcall/api/values"
import { isUnset, type WireType } from "@rollcall/api/wire"
import { comparedValue, type Schema, structOf } from "./schema.ts"

/** Whether a leaf that an update writes equals the stored one, `left`, in Go: an absent field may equal its zero value, and `1` the quantity `"1"`. */
export const sameLeaf = (left: unknown, right: unknown, schema: Schema): boolean => {
  if (left === right) return true
  switch (schema.form) {
    case "leaf":
      return sameTyped(left, right, schema.type)
    case "struct":
      return sameTyped(left, right, { type: "message", message: schema.message })
    default:
      return sameValue(left, right)
  }
}

/** `isInList` says whether Go compares the values deeply, as parts of a list: then an empty list is not like nil. */
const sameTyped = (left: unknown, right: unknown, type: WireType, isInList = false): boolean => {
  if (left === right) return true
  switch (type.type) {
    case "scalar":
      return type.scalar === "Quantity" ? String(left) === String(right) : sameValue(left, right)
    case "list":
      return (
        Array.isArray(left) &&
        Array.isArray(right) &&
        left.length === right.length &&
        left.every((item, index) => sameTyped(item, right[index], type.items, true))
      )
    case "map":
      return isFields(left) && isFields(right) && sameEntries(left, right, type.values, isInList)
    case "message":
      return isFields(left) && isFields(right) && sameFields(left, right, type, isInList)
  }
}

type Values = Readonly<Record<string, unknown>>

const sameEntries = (left: Values, right: Values, type: WireType, isInList: boolean): boolean => {
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && sameTyped(left[name], right[name], type, isInList))
}

/** Whether a caller sent a list or map without elements, which the store does not keep. */
const isSentEmpty = (value: unknown, type: WireType | undefined): boolean =>
  (type?.type === "list" || type?.type === "map") &&
  typeof value === "object" &&
  value !== null &&
  !isUnset(value) &&
  Object.keys(value).length === 0

const sameFields = (
  left: Values,
  right: Values,
  { message }: WireType & { readonly type: "message" },
  isInList: boolean
): boolean => {
  if (message.preserveUnknown === true) return sameValue(left, right)
  for (const field of structOf(message).fields.values()) {
    if (left[field.name] === right[field.name]) continue
    const type = message.fields.get(field.name)?.type
    if (isInList && isSentEmpty(right[field.name], type)) return false
    const leftValue = comparedValue(field, left, true)
    const rightValue = comparedValue(field, right, false)
    if (leftValue === rightValue) continue
    if (
      leftValue === undefined ||
      rightValue === undefined ||
      (type === undefined ? leftValue !== rightValue : !sameTyped(leftValue, rightValue, type, isInList))
    )
      return false
  }
  return true
}
