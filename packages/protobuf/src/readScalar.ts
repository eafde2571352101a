import type { BinaryReader } from "@bufbuild/protobuf/wire"
import { formatQuantity, formatTime, parseQuantity } from "@rollcall/api"
import { exactInteger } from "@rollcall/api/json"
import { parseJson, rememberOwned, type Scalar, withoutLoneSurrogates } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { eachField, expectWire, skipValue, throwMalformed, WireType } from "./Bytes.ts"
import { goString, type TextReader } from "./goString.ts"

/** A time as protobuf encodes it: since the Unix epoch. */
interface Instant {
  readonly seconds: number
  readonly nanos: number
}

/** Years 0 to 9999, the range of RFC 3339, in seconds since the Unix epoch. */
const EARLIEST = -62_167_219_200
const LATEST = 253_402_300_799

const readInstant = (bytes: Uint8Array, depth: number): Instant | undefined => {
  // An empty message is Go's zero time.
  if (bytes.length === 0) return undefined
  let seconds = 0
  let nanos = 0
  eachField(bytes, depth, "Timestamp", (number, wire, reader) => {
    if (number === 1) {
      expectWire(wire, WireType.Varint, "Seconds")
      seconds = Number(reader.int64())
    } else if (number === 2) {
      expectWire(wire, WireType.Varint, "Nanos")
      nanos = reader.int32()
    } else skipValue(reader, wire)
  })
  if (nanos < 0 || nanos > 999_999_999 || seconds < EARLIEST || seconds > LATEST)
    throwMalformed("proto: time out of range")
  return { seconds, nanos }
}

const readQuantity = (bytes: Uint8Array, depth: number): string => {
  const parsed = parseQuantity(goString(bytesAt1(bytes, depth, "Quantity", "String")))
  return Result.isSuccess(parsed) ? formatQuantity(parsed.success) : throwMalformed(parsed.failure.message)
}

const none: Uint8Array = new Uint8Array()

/** Returns field 1 of a message whose only field is of bytes. */
const bytesAt1 = (bytes: Uint8Array, depth: number, owner: string, name: string): Uint8Array => {
  let found = none
  eachField(bytes, depth, owner, (number, wire, reader) => {
    if (number !== 1) {
      skipValue(reader, wire)
      return
    }
    expectWire(wire, WireType.LengthDelimited, name)
    found = reader.bytes()
  })
  return found
}

/** The value of IntOrString's field `type` for a string. Upstream: apimachinery/pkg/util/intstr, String. */
const INT_OR_STRING_STRING = 1

const readIntOrString = (bytes: Uint8Array, depth: number, texts: TextReader): number | string => {
  let isString = false
  let int = 0
  let text = ""
  eachField(bytes, depth, "IntOrString", (number, wire, reader) => {
    if (number === 1) {
      expectWire(wire, WireType.Varint, "Type")
      isString = Number(reader.int64()) === INT_OR_STRING_STRING
    } else if (number === 2) {
      expectWire(wire, WireType.Varint, "IntVal")
      int = reader.int32()
    } else if (number === 3) {
      expectWire(wire, WireType.LengthDelimited, "StrVal")
      text = texts.read(reader.bytes())
    } else skipValue(reader, wire)
  })
  return isString ? text : int
}

/** Reads JSON; that of owned fields is text to Go, which may be none. */
const readJson = (bytes: Uint8Array, scalar: Scalar): unknown => {
  if (bytes.length === 0) return undefined
  const text = withoutLoneSurrogates(Buffer.from(bytes).toString("utf8"))
  const parsed = parseJson(text)
  if (Result.isFailure(parsed)) {
    return scalar === "FieldsV1" ? undefined : throwMalformed("proto: raw bytes are not JSON")
  }
  rememberOwned(parsed.success, text)
  return parsed.success
}

const readDuration = (bytes: Uint8Array, depth: number): string => {
  let nanos = 0
  eachField(bytes, depth, "Duration", (number, wire, reader) => {
    if (number !== 1) {
      skipValue(reader, wire)
      return
    }
    expectWire(wire, WireType.Varint, "Duration")
    nanos = Number(reader.int64())
  })
  return `${nanos / 1e9}s`
}

/** Reads the parts of a message that are no numbers. */
export interface PartReaders {
  readonly texts: TextReader
  /** Reads an embedded object: JSON, or an enveloped message. */
  readonly embedded: (bytes: Uint8Array, depth: number, texts: TextReader) => unknown
}

/**
 * Reads the value of a field. Types that are messages in protobuf (Time, Quantity, IntOrString …) become the strings or
 * numbers that JSON has for them; undefined is Go's nil.
 */
export const readScalar = (
  scalar: Scalar,
  wire: WireType,
  reader: BinaryReader,
  name: string,
  depth: number,
  { embedded, texts }: PartReaders
): unknown => {
  switch (scalar) {
    case "bool":
    case "int32":
    case "int64":
      expectWire(wire, WireType.Varint, name)
      if (scalar === "bool") return reader.bool()
      return scalar === "int32" ? reader.int32() : exactInteger(BigInt(reader.int64()))
    case "double":
      expectWire(wire, WireType.Bit64, name)
      return requireFinite(reader.double())
  }
  expectWire(wire, WireType.LengthDelimited, name)
  const bytes = reader.bytes()
  switch (scalar) {
    case "string":
      return texts.read(bytes)
    case "bytes":
      return Buffer.from(bytes).toString("base64")
    case "Time": {
      const instant = readInstant(bytes, depth + 1)
      return instant === undefined ? undefined : formatTime(instant.seconds * 1000)
    }
    case "MicroTime": {
      const instant = readInstant(bytes, depth + 1)
      if (instant === undefined) return undefined
      const micros = String(Math.floor(instant.nanos / 1000)).padStart(6, "0")
      return `${formatTime(instant.seconds * 1000).slice(0, -1)}.${micros}Z`
    }
    case "Quantity":
      return readQuantity(bytes, depth + 1)
    case "IntOrString":
      return readIntOrString(bytes, depth + 1, texts)
    case "Duration":
      return readDuration(bytes, depth + 1)
    case "RawExtension":
      return embedded(bytesAt1(bytes, depth + 1, scalar, "Raw"), depth + 1, texts)
    default:
      return readJson(bytesAt1(bytes, depth + 1, scalar === "any" ? "JSON" : scalar, "Raw"), scalar)
  }
}

const requireFinite = (value: number): number =>
  Number.isFinite(value) ? value : throwMalformed("proto: number is not finite")
