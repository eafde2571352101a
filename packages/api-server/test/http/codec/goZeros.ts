import { alwaysWrittenFields, type FieldType, type MessageType, type WireType } from "@rollcall/api/wire"

/** What Go's JSON keeps of an object that went through protobuf: no empty lists and maps, no zero values that it omits. */

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const withoutZerosIn = (type: WireType, value: unknown): unknown => {
  if (type.type === "message") return withoutZeros(type.message, value as Record<string, unknown>)
  if (type.type === "list") return (value as ReadonlyArray<unknown>).map((item) => withoutZerosIn(type.items, item))
  if (type.type !== "map") return value
  const entries = Object.entries(value as object)
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutZerosIn(type.values, each)]))
}

const isOmittedByGo = ({ omitEmpty, pointer, type }: FieldType, value: unknown): boolean => {
  if (type.type === "list" || type.type === "map") return isEmpty(value)
  if (pointer || !omitEmpty) return false
  return value === "" || value === 0 || value === false || (isEmpty(value) && type.type === "message")
}

export const withoutZeros = (type: MessageType, object: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const field = type.fields.get(name)
    if (field === undefined) out[name] = value
    else if (!isOmittedByGo(field, value)) out[name] = withoutZerosIn(field.type, value)
  }
  for (const [name, zero] of alwaysWrittenFields(type)) out[name] ??= zero
  return out
}
