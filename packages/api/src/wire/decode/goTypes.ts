import type { FieldType, MessageType, Scalar, WireType } from "../WireType.ts"

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
  any: "v1.JSON"
}

/** Returns the name of a type in Go's reflection, as error messages show it: `[]v1.Container`. */
export const goTypeName = (type: WireType): string => {
  switch (type.type) {
    case "scalar":
      return scalarNames[type.scalar]
    case "message":
      return `${type.message.goPackage}.${type.message.name}`
    case "list":
      return `[]${goTypeName(type.items)}`
    case "map":
      // The only map type of the API with a name of its own.
      return type.values.type === "scalar" && type.values.scalar === "Quantity"
        ? "v1.ResourceList"
        : `map[string]${goTypeName(type.values)}`
  }
}

/** Returns the value that null has as an element of a list or map, where it cannot be omitted. */
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
    const zero = zeroOfField(type)
    if (zero !== null || isTime(type)) out[name] = zero
  }
  return out
}

const emptyList: ReadonlyArray<never> = []
const emptyMap: Readonly<Record<string, never>> = {}

/** Whether the value is what stands for an absent list that Go always writes: nil there, and not an empty list. */
export const isUnsetList = (value: unknown): boolean => value === emptyList

/** Whether the value is what stands for an absent list or map that Go always writes. */
export const isUnset = (value: unknown): boolean => value === emptyList || value === emptyMap

/** Returns the value of an absent field that Go always writes: an empty list or map, where Go has nil. */
const zeroOfField = (type: WireType): unknown => {
  if (type.type === "list") return emptyList
  return type.type === "map" ? emptyMap : zeroValue(type)
}

const isTime = (type: WireType): boolean =>
  type.type === "scalar" && (type.scalar === "Time" || type.scalar === "MicroTime")

/** Whether Go writes null for an absent time of this field. */
export const writesNullWhenAbsent = ({ omitEmpty, pointer, type }: FieldType): boolean =>
  !omitEmpty && !pointer && isTime(type)

const isZero = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return value === "" || value === 0 || value === false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

const omittedScalars: ReadonlySet<Scalar> = new Set(["string", "bool", "int32", "int64", "double", "bytes"])

/** The lists whose absence and emptiness differ: no policies are not the default ones. */
const keptWhenEmpty: ReadonlySet<string> = new Set(["policies", "cidrs"])

/** Whether Go would omit this value of the field. */
export const isOmittedByGo = ({ name, omitEmpty, pointer, type }: FieldType, value: unknown): boolean =>
  omitEmpty && (pointer ? value === null : isZeroOmitted(name, type, value))

/** Whether a value that Go omits is one of those that it holds until it encodes: a list, a map, or bytes without any. */
export const isHeldEmpty = ({ type }: FieldType, value: unknown): boolean =>
  (typeof value === "object" && value !== null) || (type.type === "scalar" && type.scalar === "bytes")

const isZeroOmitted = (name: string, type: WireType, value: unknown): boolean =>
  (type.type === "scalar" ? omittedScalars.has(type.scalar) : type.type !== "message") &&
  !keptWhenEmpty.has(name) &&
  isZero(value)

const fieldsByMessage = new WeakMap<MessageType, ReadonlyArray<readonly [name: string, zero: unknown]>>()

/**
 * Returns the fields that Go always writes, with their zero values. Those of lists and maps are empty, so that readers
 * find a value; `withNulls` writes null for them, as Go does.
 */
export const alwaysWrittenFields = (type: MessageType): ReadonlyArray<readonly [name: string, zero: unknown]> => {
  let fields = fieldsByMessage.get(type)
  if (fields === undefined) {
    fields = Object.entries(zeroMessage(type.fields))
    fieldsByMessage.set(type, fields)
  }
  return fields
}

const plainScalars: ReadonlySet<string> = new Set(["string", "bool", "int32", "int64", "double"])

/** Whether null leaves the field of a Go struct as it is: only pointers, lists and maps become nil. */
export const keepsAtNull = ({ pointer, type }: FieldType): boolean =>
  !pointer && (type.type === "message" || (type.type === "scalar" && plainScalars.has(type.scalar)))
