import { canonicalQuantity } from "../quantity/Quantity.ts"
import { isUnsetList } from "../wire/decode/goTypes.ts"
import { dropEmpties } from "../wire/empties.ts"
import type { FieldType, MessageType, WireType } from "../wire/WireType.ts"
import { wireTypeNamed } from "../wire/wireTypes.ts"
import { goName } from "./goNames.ts"

type Fields = Readonly<Record<string, unknown>>

const meta = "io.k8s.apimachinery."

const zeroOf = ({ pointer, type }: FieldType): unknown => {
  if (type.type === "message") return pointer ? null : structOf({}, type.message)
  if (type.type !== "scalar" || pointer) return null
  switch (type.scalar) {
    case "bool":
      return false
    case "string":
      return ""
    case "int32":
    case "int64":
      return 0
    default:
      return null
  }
}

const wireValueOf = (value: unknown, type: WireType): unknown => {
  if (value === null || isUnsetList(value)) return null
  switch (type.type) {
    case "message":
      return structOf(value as Fields, type.message)
    case "list":
      return (value as ReadonlyArray<unknown>).map((item) => wireValueOf(item, type.items))
    case "map":
      return Object.fromEntries(
        Object.entries(value as Fields)
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .map(([key, each]) => [key, wireValueOf(each, type.values)])
      )
    case "scalar":
      return type.scalar === "Quantity" ? canonicalQuantity(value as string) : value
  }
}

const structOf = (value: Fields, message: MessageType): Fields => {
  const made: Record<string, unknown> = {}
  // The types of meta/v1 have no internal form of their own: they are written as JSON.
  if (message.fullName.startsWith(meta)) {
    const written = dropEmpties(message, value) as Fields
    for (const { name, type } of message.fields.values())
      if (written[name] !== undefined) made[name] = wireValueOf(written[name], type)
    return made
  }
  for (const field of message.fields.values()) {
    const given = value[field.name]
    if (field.name === "metadata") Object.assign(made, given && wireValueOf(given, field.type))
    else made[goName(field.name)] = given === undefined ? zeroOf(field) : wireValueOf(given, field.type)
  }
  return made
}

/**
 * Returns a value in the form of the server's internal type, which errors print: fields have their names in Go, and those
 * without a value are there too.
 */
export const goStruct = (value: unknown, typeName: string): unknown => {
  const message = wireTypeNamed(typeName)
  return message === undefined ? value : structOf(value as Fields, message)
}
