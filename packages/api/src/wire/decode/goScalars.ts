import * as Result from "effect/Result"
import { parseDuration } from "../../Duration.ts"
import { parseQuantity } from "../../quantity/parse.ts"
import { formatQuantity } from "../../quantity/Quantity.ts"
import { formatTime } from "../../Time.ts"
import type { Scalar } from "../WireType.ts"
import { parseGoTime } from "./goTime.ts"

/**
 * Decodes scalars as Go's types do. A literal keeps its text: Go distinguishes 1 from 1.0, and reports the text it
 * found.
 */
export interface Literal {
  readonly kind: "string" | "number" | "bool" | "object" | "array"
  /** The parsed value, for strings and booleans. */
  readonly value: unknown
  /** The text of the literal. */
  readonly raw: string
}

/**
 * `misfit`: the first one is reported at the end, and decoding continues. `fatal`: decoding stops. Both lack the
 * context that the reader adds.
 */
export type ScalarRead =
  | { readonly value: unknown }
  | { readonly misfit: { readonly found: string; readonly into: string; readonly fatal: boolean } }
  | { readonly error: string; readonly fatal: boolean }

const misfit = (found: string, into: string, fatal = false): ScalarRead => ({ misfit: { found, into, fatal } })
const stop = (error: string): ScalarRead => ({ error, fatal: true })

/** The maximum length of a 64-bit integer: JSON has no leading zeros. */
const longestInteger = 20
const maxInt64 = 2n ** 63n - 1n

const integer = (literal: Literal, bits: 32 | 64): ScalarRead => {
  const into = `int${bits}`
  if (literal.kind !== "number") return misfit(literal.kind, into)
  if (literal.raw.length > longestInteger || !/^-?\d+$/.test(literal.raw)) {
    return misfit(`number ${literal.raw}`, into)
  }
  const whole = BigInt(literal.raw)
  const most = bits === 32 ? 2n ** 31n - 1n : maxInt64
  return whole > most || whole < -most - 1n ? misfit(`number ${literal.raw}`, into) : { value: Number(whole) }
}

/** Whether the character is A to Z, a to z, 0 to 9, `+` or `/`. */
const isBase64 = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43

/** Returns the position at which Go's base64.StdEncoding fails, or -1. */
export const base64Fault = (text: string): number => {
  let place = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) continue
    if (code === 61) {
      if (place < 2) return at
      const rest = text.slice(at + 1).replace(/^[\r\n]+/, "")
      const end = text.length - rest.length
      if (place === 2) {
        if (rest === "") return text.length
        if (!rest.startsWith("=")) return end - 1
        const after = rest.slice(1).replace(/^[\r\n]+/, "")
        return after === "" ? -1 : text.length - after.length
      }
      return rest === "" ? -1 : end
    }
    if (!isBase64(code)) return at
    place = (place + 1) % 4
  }
  return place === 0 ? -1 : text.length - place
}

const time = (kind: "Time" | "MicroTime", literal: Literal): ScalarRead => {
  if (literal.kind !== "string") return misfit(literal.kind, "string", true)
  const instant = parseGoTime(kind, String(literal.value))
  if (typeof instant === "string") return stop(instant)
  const second = formatTime(instant.seconds * 1000)
  if (kind === "Time") return { value: second }
  return { value: `${second.slice(0, -1)}.${String(Math.floor(instant.nanos / 1000)).padStart(6, "0")}Z` }
}

const quantity = (literal: Literal): ScalarRead => {
  const text = (literal.kind === "string" ? String(literal.value) : literal.raw).trim()
  const parsed = parseQuantity(text)
  return Result.isFailure(parsed) ? stop(parsed.failure.message) : { value: formatQuantity(parsed.success) }
}

const duration = (literal: Literal): ScalarRead => {
  if (literal.kind !== "string") return misfit(literal.kind, "string", true)
  const text = String(literal.value)
  if (!Number.isNaN(parseDuration(text))) return { value: text }
  const missing = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)
  return stop(`time: ${missing ? "missing unit in" : "invalid"} duration ${JSON.stringify(text)}`)
}

const bytes = (literal: Literal): ScalarRead => {
  if (literal.kind !== "string") return misfit(literal.kind, "[]uint8")
  const fault = base64Fault(String(literal.value))
  return fault === -1
    ? { value: String(literal.value) }
    : { error: `illegal base64 data at input byte ${fault}`, fatal: false }
}

/** Decodes a literal that is not null. `RawExtension`, `FieldsV1` and `any` accept every value. */
export const readScalar = (scalar: Scalar, literal: Literal): ScalarRead => {
  switch (scalar) {
    case "string":
      return literal.kind === "string" ? literal : misfit(literal.kind, "string")
    case "bool":
      return literal.kind === "bool" ? literal : misfit(literal.kind, "bool")
    case "int32":
      return integer(literal, 32)
    case "int64":
      return integer(literal, 64)
    case "double":
      if (literal.kind !== "number") return misfit(literal.kind, "float64")
      return Number.isFinite(Number(literal.raw))
        ? { value: Number(literal.raw) }
        : misfit(`number ${literal.raw}`, "float64")
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
      return "misfit" in read ? misfit(read.misfit.found, "int32", true) : read
    }
    default:
      return literal
  }
}
