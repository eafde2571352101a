import { type Amount, fitsInt64, makeAmount, powerOfTen, type QuantityFormat } from "./Amount.ts"

/** A text is not a quantity: its format, its number or its suffix is invalid. */
export class QuantityError extends Error {
  readonly _tag = "QuantityError"
  readonly reason: "format" | "numeric" | "suffix"
  readonly text: string

  constructor({ reason, text }: Pick<QuantityError, "reason" | "text">) {
    super(messages[reason])
    this.name = "QuantityError"
    this.reason = reason
    this.text = text
  }
}

const messages = {
  format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  numeric: "unable to parse numeric part of quantity",
  suffix: "unable to parse quantity's suffix"
} as const

/**
 * Sign, zeros, digits, fraction and suffix, each matched greedily: no part can match what the previous one could, so
 * nothing is tried twice. This is less strict than the regular expression in the message: `-`, `.` and `Ki` match.
 */
const parts = [/[+-]?/y, /0*/y, /\d*/y, /(?:\.\d*)?/y, /[eEinumkKMGTP]*[-+]?\d*/y] as const

/** Splits a text into these parts. Returns undefined if a remainder is left. */
const partsOf = (text: string): ReadonlyArray<string> | undefined => {
  let at = 0
  const found = parts.map((part) => {
    part.lastIndex = at
    const [matched = ""] = part.exec(text) ?? []
    at += matched.length
    return matched
  })
  return at === text.length ? found : undefined
}

/** The maximum number of digits. Upstream has no limit, but a bigint of a long text takes time quadratic in its length. */
const maxDigits = 1024

interface Suffix {
  readonly format: QuantityFormat
  /** The exponent of ten, or of two for BinarySI. */
  readonly exponent: number
}

/** Made by a function, so that a bundle without quantities leaves it out. */
const makeSuffixes = () =>
  new Map<string, Suffix>([
    ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((name, index): [string, Suffix] => [
      name,
      { format: "DecimalSI", exponent: 3 * (index - 3) }
    ]),
    ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((name, index): [string, Suffix] => [
      name,
      { format: "BinarySI", exponent: 10 * (index + 1) }
    ])
  ])
const suffixes = /* @__PURE__ */ makeSuffixes()

/**
 * The maximum exponent; upstream accepts any 32-bit exponent, with which a short text would expand to gigabytes of
 * digits.
 */
const maxExponent = 4096

const suffixOf = (text: string): Suffix | undefined => {
  const known = suffixes.get(text)
  if (known !== undefined || !/^[eE][-+]?\d+$/.test(text)) return known
  const exponent = Number(text.slice(1))
  return Math.abs(exponent) <= maxExponent ? { format: "DecimalExponent", exponent } : undefined
}

/** The finest precision of a quantity is 10^-9. */
const nanoScale = -9
const maxInt64 = 9_223_372_036_854_775_807n

/**
 * Parses to upstream's fast form; undefined if digits and exponent do not fit 64 bits. Like upstream, it keeps the text
 * if a cheap test considers it canonical, although the test also accepts `+1`, `1.` and `100.100`.
 */
const parseFast = (
  text: string,
  negative: boolean,
  whole: string,
  fraction: string,
  { exponent, format }: Suffix
): Amount | undefined => {
  const binary = format === "BinarySI"
  const digits = whole.length + fraction.length
  // The decimal digits that remain for the value, as upstream estimates them.
  const spareDigits = binary ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 : 18 - digits
  const scale = (binary ? 0 : exponent) - fraction.length
  if (spareDigits < 0 || scale < nanoScale || (binary && fraction !== "")) return undefined
  const shifted = whole + fraction
  const value = BigInt(shifted)
  const magnitude = binary ? value * 2n ** BigInt(exponent) : value
  if (!fitsInt64(magnitude)) return undefined
  const looksCanonical = binary
    ? (value & 7n) !== 0n
    : scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0")
  return makeAmount(negative ? -magnitude : magnitude, scale, format, false, looksCanonical ? text : undefined)
}

/** Parses to upstream's big decimals: rounds away from zero to 10^-9, and caps binary values at 2^63-1. */
const parseBig = (negative: boolean, whole: string, fraction: string, { exponent, format }: Suffix): Amount => {
  const binary = format === "BinarySI"
  let scale = (binary ? 0 : exponent) - fraction.length
  let magnitude = BigInt(whole + fraction) * (binary ? 2n ** BigInt(exponent) : 1n)
  if (scale < nanoScale) {
    const unit = powerOfTen(nanoScale - scale)
    magnitude = (magnitude + unit - 1n) / unit
    scale = nanoScale
  }
  if (binary && magnitude > maxInt64 * powerOfTen(-scale)) {
    magnitude = maxInt64
    scale = 0
  }
  const belowOne = magnitude > 0n && scale < 0 && magnitude < powerOfTen(-scale)
  return makeAmount(negative ? -magnitude : magnitude, scale, binary && belowOne ? "DecimalSI" : format, true)
}

const readUncached = (text: string): Amount | QuantityError => {
  const fail = (reason: QuantityError["reason"]) => new QuantityError({ reason, text })
  if (text === "0") return makeAmount(0, 0, "DecimalSI", false, text)
  const match = partsOf(text)
  if (match === undefined || text === "") return fail("format")
  const [sign, zeros, digits = "", point = "", suffixText = ""] = match
  const fraction = point.slice(1)
  const suffix = suffixOf(suffixText)
  if (suffix === undefined) return fail("suffix")
  if (digits.length + fraction.length > maxDigits) return fail("numeric")
  const whole = digits === "" ? "0" : digits
  const fast = parseFast(text, sign === "-", whole, fraction, suffix)
  if (fast !== undefined) return fast
  return zeros === "" && digits === "" && fraction === ""
    ? fail("numeric")
    : parseBig(sign === "-", whole, fraction, suffix)
}

/** The results by text: most quantities are among a few texts, such as `100m`, `1Gi` and `110`. */
const cache = new Map<string, Amount | QuantityError>()
const cacheSize = 4096

/** Reads a quantity: a number with optional sign and fraction, then `Ki`…`Ei`, `n`…`E`, or `e3`. */
export const readAmount = (text: string): Amount | QuantityError => {
  const known = cache.get(text)
  if (known !== undefined) return known
  const amount = readUncached(text)
  if (cache.size >= cacheSize) cache.clear()
  if (text.length <= 64) cache.set(text, amount)
  return amount
}
