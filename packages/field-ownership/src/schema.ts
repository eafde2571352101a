import { isFields } from "@rollcall/api/values"
import { type FieldType, isUnset, type MessageType, type Scalar, type WireType } from "@rollcall/api/wire"
import { compareElements, elementText, type PathElement } from "./pathElement.ts"

type Values = Readonly<Record<string, unknown>>

/** A type as field ownership sees it. */
export type Schema =
  /** A value that is owned as a whole: a scalar, or an atomic list, map or struct. The other forms are owned by parts. */
  | { readonly form: "leaf"; readonly type: WireType }
  /** JSON without a known type: a map is owned by its entries, everything else as a whole. */
  | { readonly form: "unknown"; readonly isObject?: boolean }
  | StructSchema
  | { readonly form: "map"; readonly values: Schema }
  | ListSchema

/** The schema of a struct, which is owned by its fields. */
export interface StructSchema {
  readonly form: "struct"
  readonly message: MessageType
  readonly fields: ReadonlyMap<string, FieldSchema>
  /** The schema of fields that the message does not name; undefined if it allows none. */
  readonly others: Schema | undefined
}

/** The schema of a list that is owned by its elements: a set of values, or a list of structs with keys. */
export interface ListSchema {
  readonly form: "list"
  readonly items: Schema
  /**
   * The fields that identify an element, sorted by name: `text` is the quoted name with a colon, `defaultValue` counts for
   * an element without the field. Without keys the list is a set of values.
   */
  readonly keys: ReadonlyArray<{ readonly name: string; readonly text: string; readonly defaultValue: unknown }>
}

/** The schema of one field of a struct. */
export interface FieldSchema {
  readonly name: string
  /** `f:` and the name. */
  readonly element: PathElement
  readonly schema: Schema
  /** The value that an absent field has in Go, which writes it; undefined if Go omits it. */
  readonly zero: unknown
  /** Whether Go omits a field that has its zero value, so that it counts as absent. */
  readonly zeroIsAbsent: boolean
  /** Whether Go has a pointer, for which it writes null if the field is absent. */
  readonly isNullPointer: boolean
  /** Whether null is a value of its own, as in custom resources, and not the same as an absent field. */
  readonly keepsNull: boolean
}

const leaf = (type: WireType): Schema => ({ form: "leaf", type })
const unknown: Schema = { form: "unknown" }
const unknownObject: Schema = { form: "unknown", isObject: true }

const structByMessage = new WeakMap<MessageType, StructSchema>()

/** Returns the schema of a message. It is made once for each message. */
export const structOf = (message: MessageType): StructSchema => {
  const found = structByMessage.get(message)
  if (found !== undefined) return found
  const fields = new Map<string, FieldSchema>()
  const struct: StructSchema = {
    form: "struct",
    message,
    fields,
    others: message.preserveUnknown === true || message.ownsUnknown === true ? unknown : undefined
  }
  // Stored before its fields are made: messages may be recursive.
  structByMessage.set(message, struct)
  const all = message.gvk === undefined ? [] : ["apiVersion", "kind"].map(textField)
  const keepsNull = message.goPackage === "unstructured"
  for (const field of message.fields.values()) all.push(fieldOf(field, keepsNull))
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
  zeroIsAbsent: true,
  isNullPointer: false,
  keepsNull: false
})

const fieldOf = (field: FieldType, keepsNull: boolean): FieldSchema => ({
  name: field.name,
  element: `f:${field.name}`,
  schema: isGranular(field) ? structOf(field.type.message) : schemaOf(field.type),
  zero: zeroOfField(field),
  zeroIsAbsent: field.omitEmpty && !field.pointer && !isRaw(field.type),
  isNullPointer: !field.omitEmpty && field.pointer,
  keepsNull
})

const zeroOfField = ({ omitEmpty, pointer, type }: FieldType): unknown => {
  if (pointer) return omitEmpty ? undefined : null
  return omitEmpty && !isStruct(type) ? undefined : zeroOf(type)
}

/** Whether the field merges a message by its fields that is replaced as a whole elsewhere: `claimRef` of a volume. */
const isGranular = (field: FieldType): field is FieldType & { readonly type: { readonly type: "message" } } =>
  field.mergeMarker === "granular" && field.type.type === "message"

/** Whether the type is a struct, which Go never omits unless it is a pointer. */
const isStruct = (type: WireType): boolean => type.type === "message"

/** Whether Go keeps the text of the value, which is not empty even for an empty map. */
const isRaw = (type: WireType): boolean => type.type === "scalar" && type.scalar === "RawExtension"

const emptyStruct: Values = {}

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
  if (type.type === "message") return emptyStruct
  return type.type === "scalar" ? zeroOfScalar[type.scalar] : null
}

const schemaOf = (type: WireType): Schema => {
  switch (type.type) {
    case "scalar":
      if (type.scalar !== "any") return leaf(type)
      return type.isObject === true ? unknownObject : unknown
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

/** Returns a field's value as it would be after decoding and encoding by Go; undefined if it would be absent. */
export const fieldValue = (field: FieldSchema, struct: Values): unknown => {
  const value = struct[field.name]
  if (value === undefined || (value === null && !field.keepsNull)) return field.zero
  if (!field.zeroIsAbsent || field.schema.form === "struct") return value
  return isZero(value) ? undefined : value
}

/**
 * Returns a field's value in a state that an update compares. The store keeps no list or map without elements, so that one
 * which Go always writes is null there; a caller who sends an empty one changes it.
 */
export const comparedValue = (field: FieldSchema, struct: Values, isStored: boolean): unknown => {
  const value = fieldValue(field, struct)
  if (field.zero !== null || field.isNullPointer || field.keepsNull || !isZero(value)) return value
  return isStored || isUnset(value) ? null : value
}

/**
 * Returns an object as Go writes it: with the fields that are always written, and without omitted zero values. Parts that
 * have this form already are shared.
 */
export const goForm = (value: unknown, schema: Schema): unknown => {
  switch (schema.form) {
    case "struct":
      return isFields(value) ? goStruct(value, schema) : value
    case "map":
      return isFields(value) ? mapValues(value, (item) => goForm(item, schema.values)) : value
    case "list": {
      if (!Array.isArray(value)) return value
      const items = value.map((item) => goForm(item, schema.items))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    case "leaf":
      return goFormOfType(value, schema.type)
    case "unknown":
      return value
  }
}

/** Does the work of `goForm` for a value that is owned as a whole. */
const goFormOfType = (value: unknown, type: WireType): unknown => {
  switch (type.type) {
    case "scalar":
      return value
    case "message":
      return goForm(value, structOf(type.message))
    case "list":
      return goForm(value, { form: "list", items: { form: "leaf", type: type.items }, keys: [] })
    case "map":
      return goForm(value, { form: "map", values: { form: "leaf", type: type.values } })
  }
}

const goStruct = (value: Values, { fields }: StructSchema): Values => {
  let out: Record<string, unknown> | undefined
  for (const field of fields.values()) {
    const before = value[field.name]
    const own = fieldValue(field, value)
    const isEmpty = own !== null && field.zero === null && !field.isNullPointer && isZero(own)
    const after = isEmpty ? null : goForm(own, field.schema)
    if (after === before) continue
    out ??= { ...value }
    if (after === undefined) delete out[field.name]
    else out[field.name] = after
  }
  return out ?? value
}

const mapValues = (map: Values, change: (value: unknown) => unknown): Values => {
  let out: Record<string, unknown> | undefined
  for (const name of Object.keys(map)) {
    const after = change(map[name])
    if (after === map[name]) continue
    out ??= { ...map }
    out[name] = after
  }
  return out ?? map
}

/** Returns the path element of a list item: `k:` with its keys, or `v:` with the item of a set. */
export const elementOf = (list: ListSchema, item: unknown): PathElement | ElementError => {
  if (list.keys.length === 0) {
    if (isFields(item)) return new ElementError("associative list without keys has an element that's a map type")
    if (Array.isArray(item)) return new ElementError("not supported: associative list with lists as elements")
    if (item === null) return new ElementError("associative list without keys has an element that's an explicit null")
    return `v:${elementText(item)}`
  }
  if (item === null) return new ElementError("associative list with keys may not have a null element")
  if (!isFields(item)) return new ElementError("associative list with keys may not have non-map elements")
  let text = ""
  for (const { defaultValue, name, text: label } of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : defaultValue
    if (value === undefined) continue
    text += `${text === "" ? "" : ","}${label}${elementText(value)}`
  }
  if (text !== "") return `k:{${text}}`
  const names = list.keys.map(({ name }) => JSON.stringify(name)).join(" ")
  return new ElementError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`
  )
}

/** Why a list item has no path element. It is returned, not thrown. */
export class ElementError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}
