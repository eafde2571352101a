import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { durationFault, parseDuration } from "../../Duration.ts"
import { exactInteger } from "../../exactJson.ts"
import { parseQuantity } from "../../quantity/parseQuantity.ts"
import { formatQuantity } from "../../quantity/Quantity.ts"
import { formatTime } from "../../Time.ts"
import type { Scalar } from "../WireType.ts"
import { parseGoTime } from "./goTime.ts"

/** A JSON value with its text: Go distinguishes 1 from 1.0, and its errors show the text that it found. */
export interface Literal {
  readonly kind: "string" | "number" | "bool" | "object" | "array"
  /** The parsed value. A fraction may have lost precision: `raw` has its text. */
  readonly value: unknown
  /** The text of the literal. */
  readonly raw: string
}

/**
 * The result of decoding a scalar: its value; a `mismatch`, when a literal such as `number 1.5` was found for the Go type
 * `into`; or the complete message of another error. `Reader` adds the Go field to the message of a mismatch. If `fatal`,
 * decoding stops; otherwise it continues, and the first error is reported at the end.
 */
export type ScalarRead =
  | { readonly value: unknown }
  | { readonly mismatch: { readonly found: string; readonly into: string; readonly fatal: boolean } }
  | { readonly error: string; readonly fatal: boolean }

const mismatch = (found: string, into: string, fatal = false): ScalarRead => ({ mismatch: { found, into, fatal } })
const fatalError = (error: string): ScalarRead => ({ error, fatal: true })

/** The maximum length of a 64-bit integer with its sign: JSON has no leading zeros. */
const longestInteger = 20
const maxInt64 = 2n ** 63n - 1n

const integer = (literal: Literal, bits: 32 | 64): ScalarRead => {
  const into = `int${bits}`
  if (literal.kind !== "number") return mismatch(literal.kind, into)
  if (literal.raw.length > longestInteger || !/^-?\d+$/.test(literal.raw)) {
    return mismatch(`number ${literal.raw}`, into)
  }
  const whole = BigInt(literal.raw)
  const max = bits === 32 ? 2n ** 31n - 1n : maxInt64
  return whole > max || whole < -max - 1n ? mismatch(`number ${literal.raw}`, into) : { value: exactInteger(whole) }
}

/** Whether the character is A to Z, a to z, 0 to 9, `+` or `/`. */
const isBase64 = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43

/**
 * Returns the position at which Go's base64.StdEncoding fails, or -1 for valid base64. Like Go, ignores line breaks
 * (codes 10, 13) and takes `=` (61) only as padding.
 */
export const base64Fault = (text: string): number => {
  let placeInGroup = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) continue
    if (code === 61) {
      if (placeInGroup < 2) return at
      const rest = text.slice(at + 1).replace(/^[\r\n]+/, "")
      const end = text.length - rest.length
      if (placeInGroup === 2) {
        if (rest === "") return text.length
        if (!rest.startsWith("=")) return end - 1
        const after = rest.slice(1).replace(/^[\r\n]+/, "")
        return after === "" ? -1 : text.length - after.length
      }
      return rest === "" ? -1 : end
    }
    if (!isBase64(code)) return at
    placeInGroup = (placeInGroup + 1) % 4
  }
  return placeInGroup === 0 ? -1 : text.length - placeInGroup
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** Returns the text that Go writes for the bytes of valid base64: without line breaks, and with unused bits of 0. */
export const canonicalBase64 = (text: string): string => {
  const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, "") : text
  const padding = line.endsWith("==") ? 2 : line.endsWith("=") ? 1 : 0
  if (padding === 0) return line
  const at = line.length - padding - 1
  const value = BASE64.indexOf(line[at] ?? "")
  const used = value & (padding === 2 ? 0b110000 : 0b111100)
  return used === value ? line : `${line.slice(0, at)}${BASE64[used]}${"=".repeat(padding)}`
}

const time = (kind: "Time" | "MicroTime", literal: Literal): ScalarRead => {
  if (literal.kind !== "string") return mismatch(literal.kind, "string", true)
  const instant = parseGoTime(kind, String(literal.value))
  if (typeof instant === "string") return fatalError(instant)
  const second = formatTime(instant.seconds * 1000)
  if (kind === "Time") return { value: second }
  return { value: `${second.slice(0, -1)}.${String(Math.floor(instant.nanos / 1000)).padStart(6, "0")}Z` }
}

const quantity = (literal: Literal): ScalarRead => {
  const text = (literal.kind === "string" ? String(literal.value) : literal.raw).trim()
  const parsed = parseQuantity(text)
  return Result.isFailure(parsed) ? fatalError(parsed.failure.message) : { value: formatQuantity(parsed.success) }
}

const duration = (literal: Literal): ScalarRead => {
  if (literal.kind !== "string") return mismatch(literal.kind, "string", true)
  const text = String(literal.value)
  return Number.isNaN(parseDuration(text)) ? fatalError(durationFault(text)) : { value: text }
}

/** Go also reads a list of numbers as bytes; null is none. */
const bytesOfList = (items: ReadonlyArray<unknown>): ScalarRead => {
  for (const item of items) {
    if (item === null) continue
    if (typeof item !== "number") return mismatch(jsonKindOf(item), "uint8")
    if (!Number.isInteger(item) || item < 0 || item > 255) return mismatch(`number ${item}`, "uint8")
  }
  return { value: Base64.encode(Uint8Array.from(items, (item) => Number(item ?? 0))) }
}

const jsonKindOf = (value: unknown): string =>
  Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value

const bytes = (literal: Literal): ScalarRead => {
  if (literal.kind === "array") return bytesOfList(literal.value as ReadonlyArray<unknown>)
  if (literal.kind !== "string") return mismatch(literal.kind, "[]uint8")
  const fault = base64Fault(String(literal.value))
  return fault === -1
    ? { value: canonicalBase64(String(literal.value)) }
    : { error: `illegal base64 data at input byte ${fault}`, fatal: false }
}

/** Decodes a literal that is not null, as Go's type does. `RawExtension`, `FieldsV1` and `any` accept every value. */
export const readScalar = (scalar: Scalar, literal: Literal): ScalarRead => {
  switch (scalar) {
    case "string":
      return literal.kind === "string" ? literal : mismatch(literal.kind, "string")
    case "bool":
      return literal.kind === "bool" ? literal : mismatch(literal.kind, "bool")
    case "int32":
      return integer(literal, 32)
    case "int64":
      return integer(literal, 64)
    case "double":
      if (literal.kind !== "number") return mismatch(literal.kind, "float64")
      return Number.isFinite(Number(literal.raw))
        ? { value: Number(literal.raw) }
        : mismatch(`number ${literal.raw}`, "float64")
    case "bytes":
      return bytes(literal)
    case "Time":
    case "MicroTime":
      return time(scalar, literal)
    case "Duration":
      return duration(literal)
    case "Quantity":
      return quantity(literal)
    case "IntOrString": {
      if (literal.kind === "string") return literal
      const read = integer(literal, 32)
      return "mismatch" in read ? mismatch(read.mismatch.found, "int32", true) : read
    }
    default:
      return literal
  }
}
