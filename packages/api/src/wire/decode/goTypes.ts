import type { FieldType, MessageType, Scalar, WireType } from "../WireType.ts"

/** How Go's reflection calls the types of the wire: error texts name them. */

const scalarNames: Readonly<Record<Scalar, string>> = {
  string: "string",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  bytes: "[]uint8",
  Time: "v1.Time",
  MicroTime: "v1.MicroTime",
  Duration: "v1.Duration",
  Quantity: "resource.Quantity",
  IntOrString: "intstr.IntOrString",
  RawExtension: "runtime.RawExtension",
  FieldsV1: "v1.FieldsV1",
  any: "interface {}"
}

export const goTypeName = (type: WireType): string => {
  switch (type.type) {
    case "scalar":
      return scalarNames[type.scalar]
    case "message":
      return `${type.message.goPackage}.${type.message.name}`
    case "list":
      return `[]${goTypeName(type.items)}`
    case "map":
      // The one map type of the API that has a name of its own.
      return type.values.type === "scalar" && type.values.scalar === "Quantity"
        ? "v1.ResourceList"
        : `map[string]${goTypeName(type.values)}`
  }
}

/** What an element that is null reads as: in a list or map there is no leaving out. */
export const zeroValue = (type: WireType): unknown => {
  if (type.type === "message") return zeroMessage(type.message.fields)
  if (type.type !== "scalar") return null
  switch (type.scalar) {
    case "string":
      return ""
    case "bool":
      return false
    case "int32":
    case "int64":
    case "double":
    case "IntOrString":
      return 0
    case "Quantity":
      return "0"
    case "Duration":
      return "0s"
    default:
      return null
  }
}

const zeroMessage = (fields: ReadonlyMap<string, FieldType>): Readonly<Record<string, unknown>> => {
  const out: Record<string, unknown> = {}
  for (const { name, omitEmpty, pointer, type } of fields.values()) {
    if (omitEmpty || pointer) continue
    const zero = zeroValue(type)
    if (zero !== null || isTime(type)) out[name] = zero
  }
  return out
}

const isTime = (type: WireType): boolean =>
  type.type === "scalar" && (type.scalar === "Time" || type.scalar === "MicroTime")

/** A time that Go writes as null where there is none. */
export const nullable = ({ omitEmpty, pointer, type }: FieldType): boolean => !omitEmpty && !pointer && isTime(type)

const isZero = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return value === "" || value === 0 || value === false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

const omitted: ReadonlySet<Scalar> = new Set(["string", "bool", "int32", "int64", "double", "bytes"])

/** Whether Go would not write this value of the field. (Of managedFields, empty means: forget them.) */
export const leftOut = ({ name, omitEmpty, pointer, type }: FieldType, value: unknown): boolean =>
  omitEmpty &&
  !pointer &&
  (type.type === "scalar" ? omitted.has(type.scalar) : type.type !== "message") &&
  name !== "managedFields" &&
  isZero(value)

const always = new WeakMap<MessageType, ReadonlyArray<readonly [name: string, zero: unknown]>>()

/**
 * The fields that Go writes even where nobody gave them, with the value it writes. (It would write null for lists and maps,
 * too; an absent one means the same to every reader, so those are left out.)
 */
export const alwaysWritten = (type: MessageType): ReadonlyArray<readonly [name: string, zero: unknown]> => {
  let fields = always.get(type)
  if (fields === undefined) {
    fields = Object.entries(zeroMessage(type.fields))
    always.set(type, fields)
  }
  return fields
}
