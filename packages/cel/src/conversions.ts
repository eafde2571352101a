import { formatTime, parseTime } from "@rollcall/api"
import { goFloat } from "@rollcall/api/text"
import type { CelFunction } from "./operators.ts"
import { TextDecoder, TextEncoder } from "./runtime.ts"
import { CelError, Duration, Timestamp, timestampOf, Uint, type Value } from "./values.ts"

const MAX_INT = 2n ** 63n - 1n
const MIN_INT = -(2n ** 63n)
const MAX_UINT = 2n ** 64n - 1n
/** The number of nanoseconds in a second. */
export const NANOS = 1_000_000_000n

/** Returns a value; undefined if it is out of range. */
const inRange = (value: bigint, least: bigint, most: bigint): bigint | undefined =>
  value < least || value > most ? undefined : value

const conversionError = (from: string, to: string): CelError =>
  new CelError(`type conversion error from '${from}' to '${to}'`)

const integerOf = (value: Value | undefined): bigint | undefined => {
  if (typeof value === "bigint") return value
  if (value instanceof Uint) return value.value
  if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  // Longer texts are out of range, and parsing them takes time.
  return typeof value === "string" && /^[+-]?\d{1,40}$/.test(value) ? BigInt(value.replace("+", "")) : undefined
}

const int: CelFunction = ([value]) => {
  if (value instanceof Timestamp) return value.nanos / NANOS
  if (value instanceof Duration) return value.nanos
  if (value === undefined || value === null || (typeof value === "object" && !(value instanceof Uint))) return undefined
  const found = integerOf(value)
  const inBounds = found === undefined ? undefined : inRange(found, MIN_INT, MAX_INT)
  if (inBounds === undefined && typeof value === "string") return conversionError("string", "int")
  return inBounds ?? new CelError("integer overflow")
}

const uint: CelFunction = ([value]) => {
  if (value === undefined || value === null || (typeof value === "object" && !(value instanceof Uint))) return undefined
  const found = typeof value === "string" && value.startsWith("+") ? undefined : integerOf(value)
  const inBounds = found === undefined ? undefined : inRange(found, 0n, MAX_UINT)
  if (inBounds === undefined && typeof value === "string") return conversionError("string", "uint")
  return inBounds === undefined ? new CelError("unsigned integer overflow") : new Uint(inBounds)
}

const double: CelFunction = ([value]) => {
  if (typeof value === "number") return value
  if (typeof value === "bigint") return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value !== "string") return undefined
  const special = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(value)
  if (special !== null) {
    return special[2]?.toLowerCase() === "nan" ? Number.NaN : special[1] === "-" ? -Infinity : Infinity
  }
  const found = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
  return Number.isNaN(found) ? conversionError("string", "double") : found
}

/** The texts that Go's strconv.ParseBool accepts. */
const booleans: Readonly<Record<string, boolean>> = {
  "0": false,
  "1": true,
  f: false,
  F: false,
  false: false,
  False: false,
  FALSE: false,
  t: true,
  T: true,
  true: true,
  True: true,
  TRUE: true
}

const bool: CelFunction = ([value]) => {
  if (typeof value === "boolean") return value
  if (typeof value !== "string") return undefined
  const found = Object.hasOwn(booleans, value) ? booleans[value] : undefined
  return found ?? conversionError("string", "bool")
}

const bytes: CelFunction = ([value], meter) => {
  if (value instanceof Uint8Array) return value
  if (typeof value !== "string") return undefined
  meter.make(value.length)
  return new TextEncoder().encode(value)
}

const string: CelFunction = ([value], meter) => {
  if (typeof value === "string") return value
  if (typeof value === "boolean" || typeof value === "bigint") return String(value)
  if (value instanceof Uint) return String(value.value)
  if (typeof value === "number") return doubleText(value)
  if (value instanceof Duration) return durationText(value.nanos)
  if (value instanceof Timestamp) return timestampText(value)
  if (!(value instanceof Uint8Array)) return undefined
  meter.make(value.length)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value)
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string")
  }
}

/** Formats as Go's strconv.FormatFloat with the format g. */
export const doubleText = (value: number): string => {
  if (value === Infinity) return "+Inf"
  if (value === -Infinity) return "-Inf"
  if (Object.is(value, -0)) return "-0"
  return Number.isNaN(value) ? "NaN" : goFloat(value)
}

const durationText = (nanos: bigint): string => {
  const sign = nanos < 0n ? "-" : ""
  const size = nanos < 0n ? -nanos : nanos
  return `${sign}${size / NANOS}${fraction(size % NANOS)}s`
}

const fraction = (nanos: bigint): string =>
  nanos === 0n ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`

const timestampText = ({ nanos, offsetMinutes }: Timestamp): string => {
  const within = ((nanos % NANOS) + NANOS) % NANOS
  const seconds = Number((nanos - within) / NANOS) + offsetMinutes * 60
  const zone = offsetMinutes === 0 ? "Z" : offsetText(offsetMinutes)
  return `${formatTime(seconds * 1000).slice(0, 19)}${fraction(within)}${zone}`
}

const offsetText = (minutes: number): string => {
  const size = Math.abs(minutes)
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, "0"))
  return `${minutes < 0 ? "-" : "+"}${hours}:${rest}`
}

/** Nanoseconds by unit. */
const units: Readonly<Record<string, bigint>> = {
  h: 3600n * NANOS,
  m: 60n * NANOS,
  ms: 1_000_000n,
  ns: 1n,
  s: NANOS,
  us: 1000n,
  µs: 1000n,
  μs: 1000n
}

/** Parses a duration in Go's format; returns undefined if it is invalid or exceeds 64 bits of nanoseconds. */
export const parseDuration = (text: string): Duration | undefined => {
  // Longer texts are not parsed, since that takes time.
  if (text.length > 100) return undefined
  const [, sign, rest = ""] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (rest === "0") return new Duration(0n)
  const parts = [...rest.matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|ns|s|us|µs|μs)/gy)]
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== rest) return undefined
  let nanos = 0n
  for (const [, digits = "", decimals = "", unit = ""] of parts) {
    if (digits === "" && decimals === "") return undefined
    const factor = units[unit] ?? 0n
    nanos += BigInt(digits || "0") * factor
    if (decimals !== "") nanos += (BigInt(decimals) * factor) / 10n ** BigInt(decimals.length)
  }
  const signed = sign === "-" ? -nanos : nanos
  return inRange(signed, MIN_INT, MAX_INT) === undefined ? undefined : new Duration(signed)
}

const duration: CelFunction = ([value]) => {
  if (value instanceof Duration) return value
  // Upstream declares the conversion of an integer, and lacks it.
  if (typeof value === "bigint") return conversionError("int", "google.protobuf.Duration")
  if (typeof value !== "string") return undefined
  return parseDuration(value) ?? conversionError("string", "google.protobuf.Duration")
}

/** Parses an RFC 3339 time, exact to the nanosecond; returns undefined if it is invalid. */
export const parseTimestamp = (text: string): Timestamp | undefined => {
  if (text.length > 64) return undefined
  const milliseconds = parseTime(text.replace(/\.\d+/, ""))
  if (Number.isNaN(milliseconds)) return undefined
  const decimals = /\.(\d{1,9})/.exec(text)?.[1] ?? ""
  const seconds = Math.floor(milliseconds / 1000)
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? []
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const nanos = BigInt(seconds) * NANOS + BigInt(decimals.padEnd(9, "0"))
  return timestampOf(nanos) instanceof CelError ? undefined : new Timestamp(nanos, offset)
}

const timestamp: CelFunction = ([value]) => {
  if (value instanceof Timestamp) return value
  if (typeof value === "bigint") return timestampOf(value * NANOS)
  if (typeof value !== "string") return undefined
  return parseTimestamp(value) ?? conversionError("string", "google.protobuf.Timestamp")
}

/** The conversion functions. Upstream: cel-go/common/types, ConvertToType. */
export const conversions: Readonly<Record<string, CelFunction>> = {
  bool,
  bytes,
  double,
  duration,
  int,
  string,
  timestamp,
  uint
}
