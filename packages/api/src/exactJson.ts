/*
 * Go keeps every int64 of a body; a JavaScript number has 53 bits. So an integer that a number cannot hold is a bigint
 * in memory, and nothing else is: comparisons, copies, merges and `===` work on both. Integers beyond int64 are numbers,
 * as they are float64 in Go.
 */

interface RawJson {
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

/** Returns a value that JSON.stringify writes as this text. */
export const rawJson = (text: string): unknown => (JSON as unknown as RawJson).rawJSON(text)

/** Whether the value is such a text; so is a bigint where JSON.stringify shows it to a replacer. */
export const isRawJson = (value: unknown): boolean => (JSON as unknown as RawJson).isRawJSON(value)

// JSON.stringify refuses bigints unless they say how they are written. A program that has said so keeps its form.
if (!("toJSON" in BigInt.prototype)) {
  Object.defineProperty(BigInt.prototype, "toJSON", {
    configurable: true,
    writable: true,
    value(this: bigint) {
      return rawJson(String(this))
    }
  })
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

/** Returns the integer as a number if that is exact, and otherwise as a bigint; undefined if it is not an int64. */
export const exactInteger = (whole: bigint): number | bigint | undefined => {
  if (whole < minInt64 || whole > maxInt64) return undefined
  const value = Number(whole)
  return Number.isSafeInteger(value) ? value : whole
}

/** The largest number of characters of an int64. */
const longestInteger = 20

/** Returns the value of a JSON number without losing digits of an int64. */
export const exactNumber = (text: string): number | bigint => {
  const value = Number(text)
  if (Number.isSafeInteger(value) || text.length > longestInteger || !/^-?\d+$/.test(text)) return value
  return exactInteger(BigInt(text)) ?? value
}

/** Integers of fewer digits are exact as numbers. */
const MANY_DIGITS = 16

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** Whether the text has a run of many digits. It looks at every sixteenth character, since each such run has one. */
const hasManyDigits = (text: string): boolean => {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isDigit(text, at)) continue
    let [start, end] = [at, at + 1]
    while (isDigit(text, start - 1)) start--
    while (isDigit(text, end)) end++
    if (end - start >= MANY_DIGITS) return true
  }
  return false
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const revive: Reviver = (_, value, { source }) =>
  typeof value === "number" && source !== undefined ? exactNumber(source) : value

/**
 * A scalar that is not written as Go writes its value: a number with a fraction of 0, an exponent, or more digits than it
 * can hold, or a text with other escapes.
 */
export interface JsonLiteral {
  (): string
  toJSON(): unknown
}

/** Whether the value is a scalar as its text: a function, which all code takes for a scalar that equals no other. */
export const isJsonLiteral = (value: unknown): value is JsonLiteral => typeof value === "function"

/** Whether there is such a scalar in the value. */
export const holdsLiterals = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return isJsonLiteral(value)
  for (const part of Object.values(value)) if (holdsLiterals(part)) return true
  return false
}

const literalOf = (text: string): JsonLiteral => Object.assign(() => text, { toJSON: () => rawJson(text) })

const mayHaveLiterals = (text: string): boolean => /\d[.eE]|\d{16}/.test(text)

const reviveLiterally: Reviver = (_, value, { source }) => {
  if (typeof value !== "number" || source === undefined) return value
  const exact = exactNumber(source)
  return String(exact) === source ? exact : literalOf(source)
}

/** Escapes what Go escapes in JSON though it need not. */
const withGoEscapes = (text: string): string =>
  text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

const reviveTexts: Reviver = (key, value, context) => {
  const { source } = context
  if (typeof value !== "string" || source === undefined) return reviveLiterally(key, value, context)
  return withGoEscapes(JSON.stringify(value)) === source ? value : literalOf(source)
}

/** Parses JSON, and keeps the texts of all scalars: JSON patches compare them. */
export const parseWithTexts = (text: string): unknown =>
  mayHaveLiterals(text) || /[<>&\\\u2028\u2029]/.test(text)
    ? JSON.parse(text, reviveTexts as Parameters<typeof JSON.parse>[1])
    : JSON.parse(text)

/** Returns the value of a text that is its literal, and any other value as it is. */
export const valueOfText = (value: unknown): unknown =>
  isJsonLiteral(value) && value().startsWith('"') ? JSON.parse(value()) : value

/** Returns the scalar that Go makes of a literal when it writes and reads it: with its own escapes beside the given ones. */
export const rewrittenLiteral = (literal: JsonLiteral): unknown =>
  literal().startsWith('"') ? parseWithTexts(withGoEscapes(literal())) : literal

/** Returns the value with each scalar as `map` makes it, which is called for literals alone. Shares what stays. */
export const withLiterals = (value: unknown, map: (literal: JsonLiteral) => unknown): unknown => {
  if (isJsonLiteral(value)) return map(value)
  if (typeof value !== "object" || value === null || !holdsLiterals(value)) return value
  if (Array.isArray(value)) return value.map((item) => withLiterals(item, map))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withLiterals(item, map)]))
}

/** Parses JSON, and keeps the texts of numbers, as patches of texts do in Go. */
export const parseLiterally = (text: string): unknown =>
  mayHaveLiterals(text) ? JSON.parse(text, reviveLiterally as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)

/** Parses JSON as JSON.parse does, without losing digits of an int64. */
export const parseExactly = (text: string): unknown =>
  hasManyDigits(text) ? JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)
