import type { FieldType, MessageType } from "@rollcall/api/wire"

type Fields = Readonly<Record<string, unknown>>

const holds = ({ type }: FieldType, value: unknown): boolean => {
  if (type.type === "list") return Array.isArray(value)
  if (type.type === "message") return typeof value === "object" && !Array.isArray(value)
  return typeof value === "boolean"
}

/** Whether values are arbitrary JSON, which protobuf has as text. */
export const isJson = (union: MessageType): boolean => union.fields.has("raw")

/** Returns the message for a value of which JSON has only the field that holds it. A schema implies that it is allowed. */
export const unionFields = (union: MessageType, value: unknown): Fields => {
  const held = [...union.fields.values()].find((field) => holds(field, value))
  if (held === undefined) return {}
  const implied = held.name === "schema" && union.fields.has("allows") ? { allows: true } : {}
  return { ...implied, [held.name]: value }
}

/** Returns the value that JSON has for a message. Upstream: apiextensions/v1/marshal.go. */
export const unionValue = (union: MessageType, { allows, jSONSchemas, property, schema }: Fields): unknown =>
  jSONSchemas ?? property ?? schema ?? (union.fields.has("allows") ? allows === true : null)
