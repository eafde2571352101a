import { parseDuration } from "@rollcall/api/text"
import * as Result from "effect/Result"

/** Parses values of flags like Go, with the errors of its strconv and time packages. */

/** Quotes a text like Go's %q. */
export const quoted = (text: string): string => JSON.stringify(text)

const TRUE = new Set(["1", "t", "T", "TRUE", "true", "True"])
const FALSE = new Set(["0", "f", "F", "FALSE", "false", "False"])

const invalidSyntax = (reader: string, text: string) => `strconv.${reader}: parsing ${quoted(text)}: invalid syntax`
const outOfRange = (reader: string, text: string) => `strconv.${reader}: parsing ${quoted(text)}: value out of range`

/** Parses a boolean like Go's strconv.ParseBool; returns undefined for any other text. */
export const parseBool = (text: string): boolean | undefined =>
  TRUE.has(text) ? true : FALSE.has(text) ? false : undefined

/** Reads a boolean like Go's strconv.ParseBool, with its error. */
export const readBool = (text: string): Result.Result<boolean, string> => {
  const value = parseBool(text)
  return value === undefined ? Result.fail(invalidSyntax("ParseBool", text)) : Result.succeed(value)
}

const WHOLE = /^[-+]?(0[xX](_?[0-9a-fA-F])+|0[oO](_?[0-7])+|0(_?[0-7])*|0[bB](_?[01])+|[1-9](_?\d)*)$/

/**
 * Reads an integer like Go's strconv.ParseInt with base 0, which also reads `0x1f`, `1_000`, and `017` as octal. Values
 * above 2^53 lose precision.
 */
export const readInt = (text: string, bits: 32 | 64 = 64): Result.Result<number, string> => {
  if (!WHOLE.test(text)) return Result.fail(invalidSyntax("ParseInt", text))
  const digits = text.replace(/^[-+]/, "").replaceAll("_", "")
  const value = Number(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits)
  const signed = text.startsWith("-") ? 0 - value : value
  return signed >= -(2 ** (bits - 1)) && signed < 2 ** (bits - 1)
    ? Result.succeed(signed)
    : Result.fail(outOfRange("ParseInt", text))
}

const DECIMAL = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/

/** Reads a number like Go's strconv.ParseFloat, without its hexadecimal numbers, infinities and NaN. */
export const readFloat = (text: string): Result.Result<number, string> => {
  if (!DECIMAL.test(text)) return Result.fail(invalidSyntax("ParseFloat", text))
  const value = Number(text)
  return Number.isFinite(value) ? Result.succeed(value) : Result.fail(outOfRange("ParseFloat", text))
}

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)/

/** Returns the error of Go's time.ParseDuration for a text that is not a duration. */
const durationError = (text: string): string => {
  let rest = text.replace(/^[-+]/, "")
  for (;;) {
    const [number] = NUMBER.exec(rest) ?? []
    if (number === undefined || /^[-+]/.test(rest)) return `time: invalid duration ${quoted(text)}`
    rest = rest.slice(number.length)
    const [unit = ""] = /^[^\d.]*/.exec(rest) ?? []
    if (unit === "") return `time: missing unit in duration ${quoted(text)}`
    if (!/^(ns|us|µs|μs|ms|s|m|h)$/.test(unit)) return `time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`
    rest = rest.slice(unit.length)
    if (rest === "") return `time: invalid duration ${quoted(text)}`
  }
}

/** The longest Go duration: 2^63 nanoseconds. */
const MAX_DURATION_MS = 2 ** 63 / 1e6

/** Reads a duration like Go's time.ParseDuration, with its errors; returns milliseconds. */
export const readDuration = (text: string): Result.Result<number, string> => {
  const value = parseDuration(text)
  return Math.abs(value) <= MAX_DURATION_MS ? Result.succeed(value) : Result.fail(durationError(text))
}
