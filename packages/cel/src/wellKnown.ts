import { btoa } from "./runtime.ts"
import {
  ANY,
  anyFields,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  UINT,
  wrapperOf
} from "./types.ts"
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  EntryMap,
  ItemList,
  type Key,
  MessageValue,
  Timestamp,
  Uint,
  type Value
} from "./values.ts"

type Fields = ReadonlyMap<Key, Value>

/** A message of protobuf that any expression may make, and the value that it is. */
export interface WellKnown {
  readonly type: CelType
  readonly fields: ReadonlyMap<string, CelType>
  readonly make: (fields: Fields) => Value
}

const NANOS = 1_000_000_000n
const INT32 = 2n ** 31n
const UINT32 = 2n ** 32n

const textMap = mapOf(STRING, DYN)
const anyList = listOf(DYN)

const integerOf = (value: Value | undefined): bigint => (typeof value === "bigint" ? value : 0n)

const nanosOf = (fields: Fields): bigint => integerOf(fields.get("seconds")) * NANOS + integerOf(fields.get("nanos"))

const MAX_INT64 = 2n ** 63n - 1n

/** Go ends a duration at the longest one. */
const saturated = (nanos: bigint): bigint =>
  nanos > MAX_INT64 ? MAX_INT64 : nanos < -MAX_INT64 - 1n ? -MAX_INT64 - 1n : nanos

/** Returns the error of an Any, whose message no environment can open. */
const unopened = (fields: Fields): CelError => {
  const shown = [...fields].map(([name, value]) => `${String(name)}:${JSON.stringify(String(value))}`)
  return new CelError(`unsupported conversion to ref.Val: (*dynamicpb.Message)${shown.join(" ")}`)
}

/** Returns a value as JSON has it, where all numbers are doubles. Upstream: cel-go/common/types, ConvertToNative. */
const jsonValue = (value: Value): Value => {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint) return jsonValue(value.value)
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value))
  if (value instanceof CelList) return new ItemList([...value].map(jsonValue))
  if (!(value instanceof CelMap) || value instanceof MessageValue) return value
  return jsonMap(value)
}

const jsonMap = (map: CelMap): Value => {
  const entries = new Map<Key, Value>()
  for (const key of map.keys()) entries.set(String(key), jsonValue(map.get(key) ?? null))
  return new EntryMap(entries)
}

const wrapper = (type: CelType, zero: Value, convert: (value: Value) => Value = (value) => value): WellKnown => ({
  type: wrapperOf(type),
  fields: new Map([["value", type]]),
  make: (fields) => convert(fields.get("value") ?? zero)
})

const overflow = (name: string) =>
  new CelError(`field type conversion error for google.protobuf.${name}.value value type: integer overflow`)

const int32 = (value: Value): Value =>
  typeof value === "bigint" && value >= -INT32 && value < INT32 ? value : overflow("Int32Value")
const uint32 = (value: Value): Value =>
  value instanceof Uint && value.value < UINT32 ? value : overflow("UInt32Value")
const float = (value: Value): Value => (typeof value === "number" ? Math.fround(value) : value)

const instant = new Map([
  ["seconds", INT],
  ["nanos", INT]
])

/** The alternatives of a Value. */
const alternatives = new Map([
  ["null_value", INT],
  ["number_value", DOUBLE],
  ["string_value", STRING],
  ["bool_value", BOOL],
  ["struct_value", textMap],
  ["list_value", anyList]
])

const alternativeOf = (fields: Fields): Value => {
  for (const [name, value] of fields) if (name !== "null_value") return jsonValue(value)
  return null
}

const message = (name: string, fields: ReadonlyMap<string, CelType>, type: CelType): WellKnown => ({
  type,
  fields,
  make: (given) => new MessageValue(name, new Map(given))
})

const messages: Readonly<Record<string, WellKnown>> = {
  BoolValue: wrapper(BOOL, false),
  BytesValue: wrapper(BYTES, new Uint8Array()),
  DoubleValue: wrapper(DOUBLE, 0),
  FloatValue: wrapper(DOUBLE, 0, float),
  Int32Value: wrapper(INT, 0n, int32),
  Int64Value: wrapper(INT, 0n),
  StringValue: wrapper(STRING, ""),
  UInt32Value: wrapper(UINT, new Uint(0n), uint32),
  UInt64Value: wrapper(UINT, new Uint(0n)),
  Timestamp: { type: TIMESTAMP, fields: instant, make: (fields) => new Timestamp(nanosOf(fields)) },
  Duration: { type: DURATION, fields: instant, make: (fields) => new Duration(saturated(nanosOf(fields))) },
  Struct: {
    type: textMap,
    fields: new Map([["fields", textMap]]),
    make: (fields) => jsonValue(fields.get("fields") ?? new EntryMap(new Map()))
  },
  ListValue: {
    type: anyList,
    fields: new Map([["values", anyList]]),
    make: (fields) => jsonValue(fields.get("values") ?? new ItemList([]))
  },
  Value: { type: DYN, fields: alternatives, make: alternativeOf },
  Any: {
    type: ANY,
    fields: new Map([
      ["type_url", STRING],
      ["value", BYTES]
    ]),
    make: unopened
  },
  Empty: message("google.protobuf.Empty", new Map(), anyFields("google.protobuf.Empty"))
}

const PACKAGE = "google.protobuf."

/** Returns the message of a name, which a dot may precede; undefined if it is none that all environments have. */
export const wellKnown = (name: string): WellKnown | undefined => {
  const qualified = name.startsWith(".") ? name.slice(1) : name
  if (!qualified.startsWith(PACKAGE)) return undefined
  const own = qualified.slice(PACKAGE.length)
  return Object.hasOwn(messages, own) ? messages[own] : undefined
}

/** Returns what is wrong with the value of a message's field; `wanted` is undefined if the message has no such field. */
export const fieldFault = (name: string, wanted: string | undefined, found: string, isWellKnown: boolean): string =>
  wanted === undefined && isWellKnown
    ? `undefined field '${name}'`
    : `expected type of field '${name}' is '${wanted ?? ""}' but provided type is '${found}'`
