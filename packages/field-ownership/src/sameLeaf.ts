import { isFields, sameValue } from "@rollcall/api/values"
import type { WireType } from "@rollcall/api/wire"
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

const sameTyped = (left: unknown, right: unknown, type: WireType): boolean => {
  if (left === right) return true
  switch (type.type) {
    case "scalar":
      return type.scalar === "Quantity" ? String(left) === String(right) : sameValue(left, right)
    case "list":
      return (
        Array.isArray(left) &&
        Array.isArray(right) &&
        left.length === right.length &&
        left.every((item, index) => sameTyped(item, right[index], type.items))
      )
    case "map":
      return isFields(left) && isFields(right) && sameEntries(left, right, type.values)
    case "message":
      return isFields(left) && isFields(right) && sameFields(left, right, type)
  }
}

type Values = Readonly<Record<string, unknown>>

const sameEntries = (left: Values, right: Values, type: WireType): boolean => {
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && sameTyped(left[name], right[name], type))
}

const sameFields = (left: Values, right: Values, { message }: WireType & { readonly type: "message" }): boolean => {
  if (message.preserveUnknown === true) return sameValue(left, right)
  for (const field of structOf(message).fields.values()) {
    if (left[field.name] === right[field.name]) continue
    const leftValue = comparedValue(field, left, true)
    const rightValue = comparedValue(field, right, false)
    if (leftValue === rightValue) continue
    const type = message.fields.get(field.name)?.type
    if (
      leftValue === undefined ||
      rightValue === undefined ||
      (type === undefined ? leftValue !== rightValue : !sameTyped(leftValue, rightValue, type))
    )
      return false
  }
  return true
}
