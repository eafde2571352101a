import type { FieldType, MessageType, Scalar, WireType } from "@rollcall/api/wire"
import { isFields } from "../objects/values.ts"
import { compareElements, type PathElement } from "./pathElement.ts"

type Values = Readonly<Record<string, unknown>>

/** A type as field ownership sees it: a leaf is owned as a whole, others by their parts. */
export type Schema =
  | { readonly form: "leaf"; readonly type: WireType }
  /** JSON without a known type: maps by their entries, everything else as a whole. */
  | { readonly form: "unknown" }
  | StructSchema
  | { readonly form: "map"; readonly values: Schema }
  | ListSchema

export interface StructSchema {
  readonly form: "struct"
  readonly message: MessageType
  readonly fields: ReadonlyMap<string, FieldSchema>
  /** The schema of fields that the message does not name; undefined when there are none. */
  readonly others: Schema | undefined
}

export interface ListSchema {
  readonly form: "list"
  readonly items: Schema
  /** Empty: a set of values. Sorted. */
  readonly keys: ReadonlyArray<{ readonly name: string; readonly text: string; readonly defaultValue: unknown }>
}

export interface FieldSchema {
  readonly name: string
  readonly element: PathElement
  readonly schema: Schema
  /** Go's value of an absent field; undefined: absent. */
  readonly zero: unknown
  /** In Go the zero value means absent. */
  readonly zeroIsAbsent: boolean
}

const leaf = (type: WireType): Schema => ({ form: "leaf", type })
const unknown: Schema = { form: "unknown" }

const known = new WeakMap<MessageType, StructSchema>()

/** Returns the schema of a message, made once. */
export const structOf = (message: MessageType): StructSchema => {
  const found = known.get(message)
  if (found !== undefined) return found
  const fields = new Map<string, FieldSchema>()
  const struct: StructSchema = {
    form: "struct",
    message,
    fields,
    others: message.preserveUnknown === true ? unknown : undefined
  }
  // Stored before its fields are made: messages may be recursive.
  known.set(message, struct)
  const all = message.gvk === undefined ? [] : ["apiVersion", "kind"].map(textField)
  for (const field of message.fields.values()) all.push(fieldOf(field))
  // In the order of fieldsV1, so that a field-by-field comparison produces that order.
  for (const field of all.sort((left, right) => compareElements(left.element, right.element))) {
    fields.set(field.name, field)
  }
  return struct
}

const textField = (name: string): FieldSchema => ({
  name,
  element: `f:${name}`,
  schema: leaf({ type: "scalar", scalar: "string" }),
  zero: undefined,
  zeroIsAbsent: true
})

const fieldOf = (field: FieldType): FieldSchema => ({
  name: field.name,
  element: `f:${field.name}`,
  schema: schemaOf(field.type),
  zero: field.pointer || (field.omitEmpty && !isStruct(field.type)) ? undefined : zeroOf(field.type),
  zeroIsAbsent: field.omitEmpty && !field.pointer
})

/** Go never omits a struct that is not a pointer. */
const isStruct = (type: WireType): boolean => type.type === "message"

const nothing: Values = {}

const zeroOfScalar: Readonly<Record<Scalar, unknown>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  Time: null,
  MicroTime: null,
  Duration: "0s",
  Quantity: "0",
  IntOrString: 0,
  RawExtension: null,
  FieldsV1: null,
  any: undefined
}

const zeroOf = (type: WireType): unknown => {
  if (type.type === "message") return nothing
  return type.type === "scalar" ? zeroOfScalar[type.scalar] : null
}

const schemaOf = (type: WireType): Schema => {
  switch (type.type) {
    case "scalar":
      return type.scalar === "any" ? unknown : leaf(type)
    case "message":
      return type.message.atomic ? leaf(type) : structOf(type.message)
    case "map":
      return type.mapType === "atomic" ? leaf(type) : { form: "map", values: schemaOf(type.values) }
    case "list": {
      if (type.listType === "atomic") return leaf(type)
      const { items } = type
      const defaultOf = (name: string) =>
        items.type === "message" ? items.message.fields.get(name)?.default : undefined
      const keys = type.listType === "map" ? [...type.keys].sort() : []
      return {
        form: "list",
        items: schemaOf(items),
        keys: keys.map((name) => ({ name, text: `${JSON.stringify(name)}:`, defaultValue: defaultOf(name) }))
      }
    }
  }
}

const isZero = (value: unknown): boolean => {
  if (value === "" || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isFields(value) && Object.keys(value).length === 0
}

/** Returns a field's value as Go decodes it: undefined when absent. */
export const fieldValue = (field: FieldSchema, struct: Values): unknown => {
  const value = struct[field.name]
  if (value === undefined || value === null) return field.zero
  if (!field.zeroIsAbsent || field.schema.form === "struct") return value
  return isZero(value) ? undefined : value
}

/** Returns the path element of a list element, or why it is invalid. */
export const elementOf = (list: ListSchema, item: unknown): PathElement | ElementError => {
  if (list.keys.length === 0) {
    if (isFields(item)) return new ElementError("associative list without keys has an element that's a map type")
    if (Array.isArray(item)) return new ElementError("not supported: associative list with lists as elements")
    return `v:${JSON.stringify(item)}`
  }
  if (item === null) return new ElementError("associative list with keys may not have a null element")
  if (!isFields(item)) return new ElementError("associative list with keys may not have non-map elements")
  let text = ""
  for (const { defaultValue, name, text: label } of list.keys) {
    const value = item[name] ?? defaultValue
    if (value === undefined) continue
    text += `${text === "" ? "" : ","}${label}${JSON.stringify(value)}`
  }
  if (text !== "") return `k:{${text}}`
  const names = list.keys.map(({ name }) => JSON.stringify(name)).join(" ")
  return new ElementError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`
  )
}

export class ElementError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}
