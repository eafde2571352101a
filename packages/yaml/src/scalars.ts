import { goQuote, sortedEntries } from "@rollcall/api"
import { exactInteger } from "@rollcall/api/json"

/**
 * The value of a scalar of YAML 1.1 in JSON: `yes` is true, 0777 is octal. Sexagesimal numbers and timestamps are
 * strings, as in sigs.k8s.io/yaml. Upstream: goyaml.v2/resolve.go.
 */
export type YamlScalar = string | number | bigint | boolean | null

/** A time that goyaml reads. */
export const timestamp =
  /^\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/

const words = new Map<string, boolean | null>([
  ...["", "~", "null", "Null", "NULL"].map((text): [string, null] => [text, null]),
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((text): [string, true] => [
    text,
    true
  ]),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((text): [string, false] => [
    text,
    false
  ])
])

/** The length of the longest of the words above. */
const LONGEST_WORD = 5

/** The digits of the largest uint64 in binary. */
const LONGEST_INTEGER = 64

const MAX_UINT64 = 2n ** 64n - 1n

/** Integers without their underscores, by radix, as strconv.ParseInt reads them with base 0. */
const integers: ReadonlyArray<readonly [shape: RegExp, radix: number, prefix: string]> = [
  [/^([-+]?)(0|[1-9][0-9]*)$/, 10, ""],
  [/^([-+]?)0([0-7]+)$/, 8, "0o"],
  [/^([-+]?)0[xX]([0-9a-fA-F]+)$/, 16, "0x"],
  [/^([-+]?)0[bB]([01]+)$/, 2, "0b"],
  // The sign after the prefix is one that goyaml's own reading of "0b" accepts.
  [/^0b([-+])([01]+)$/, 2, "0b"],
  [/^([-+]?)0[oO]([0-7]+)$/, 8, "0o"]
]

const infinity = /^[-+]?\.(?:inf|Inf|INF)$/
const notANumber = /^\.(?:nan|NaN|NAN)$/
const fraction = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

/** Returns an integer without losing digits of an int64; nothing beyond what an int64 or a uint64 holds. */
const integerOf = (sign: string, digits: string, radix: number, prefix: string): number | bigint | undefined => {
  const size = Number.parseInt(digits, radix)
  if (Number.isSafeInteger(size)) return sign === "-" && size !== 0 ? -size : size
  const significant = digits.replace(/^0+/, "")
  if (significant.length > LONGEST_INTEGER) return undefined
  const exact = BigInt(`${prefix}${significant}`)
  const value = sign === "-" ? -exact : exact
  const isUint64 = sign === "" && exact <= MAX_UINT64
  return exactInteger(value) ?? (isUint64 ? Number(exact) : undefined)
}

const signedIntegerOf = (plain: string): number | bigint | undefined => {
  for (const [shape, radix, prefix] of integers) {
    const found = shape.exec(plain)
    if (found !== null) return integerOf(found[1] ?? "", found[2] ?? "", radix, prefix)
  }
  return undefined
}

/** Go finds that a number beyond all of float64 is none. */
const floatOf = (shape: RegExp, text: string): number | undefined => {
  if (!shape.test(text)) return undefined
  const value = Number.parseFloat(text.replaceAll("_", ""))
  return Number.isFinite(value) ? value : undefined
}

/** Underscores count only between digits in a text that starts with its point, and nowhere in any other. */
const numberOf = (text: string): number | bigint | undefined => {
  if (infinity.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (notANumber.test(text)) return Number.NaN
  if (text.startsWith(".")) return floatOf(fraction, text)
  const plain = text.includes("_") ? text.replaceAll("_", "") : text
  return signedIntegerOf(plain) ?? floatOf(float, plain)
}

/** Whether the character can start a number: digits, signs and the point. */
const startsNumber = (code: number): boolean => (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46

/** Returns the value of a plain scalar without a tag. */
export const resolvePlain = (text: string): YamlScalar => {
  if (text.length <= LONGEST_WORD) {
    const word = words.get(text)
    if (word !== undefined) return word
  }
  return startsNumber(text.charCodeAt(0)) ? (numberOf(text) ?? text) : text
}

/** goyaml's error for a document that parses but has no value (an unknown anchor). Not thrown beyond this folder. */
export class YamlFault extends Error {
  get shown(): string {
    return `yaml: ${this.message}`
  }
}

/** The error of converting the value of a document to JSON. */
export class ConversionFault extends YamlFault {
  override get shown(): string {
    return this.message
  }
}

/** Decodes base64 as Go's StdEncoding does: with padding, and without line ends; other bytes than UTF-8 are U+FFFD. */
const decodedBinary = (text: string): string => {
  const digits = text.replace(/[\r\n]/g, "")
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(digits)) {
    throw new YamlFault("!!binary value contains invalid base64 data")
  }
  return Buffer.from(digits, "base64").toString()
}

/** Formats a value as Go's `%#v` of what goyaml decodes. */
export const goSyntax = (value: unknown, isWithin = false): string => {
  if (value === null) return isWithin ? "interface {}(nil)" : "<nil>"
  if (typeof value === "string") return goQuote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item, true)).join(", ")}}`
  if (typeof value !== "object") return String(value)
  const members = sortedEntries(value as Readonly<Record<string, unknown>>)
  return `map[interface {}]interface {}{${members.map(([key, item]) => `${goQuote(key)}:${goSyntax(item, true)}`).join(", ")}}`
}

/** Returns the name in JSON of a key that is a number: Go formats it with the digits of a float32. */
export const nameOfNumber = (key: number): string => {
  if (Number.isNaN(key)) return ".nan"
  if (!Number.isFinite(key)) return key < 0 ? "-.inf" : ".inf"
  if (Number.isInteger(key)) return String(key)
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(key.toPrecision(digits))
    if (Math.fround(short) === Math.fround(key)) return String(short)
  }
  return String(Number(key.toPrecision(9)))
}

/** Returns goyaml's name of the type of a plain value. */
const typeName = (value: YamlScalar): string => {
  if (value === null) return "null"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "string") return "str"
  return typeof value === "bigint" || Number.isInteger(value) ? "int" : "float"
}

/**
 * Returns the value of a scalar with a tag; one whose tag has no JSON type is a string. Throws YamlFault for a scalar that
 * does not match its tag.
 */
export const resolveTagged = (tag: string, text: string): YamlScalar => {
  const name = tag.startsWith("!!") ? tag.slice(2) : ""
  if (name === "binary") return decodedBinary(text)
  const value = resolvePlain(text)
  const found = typeName(value)
  switch (name) {
    case "null":
    case "bool":
    case "int":
      if (found === name) return value
      break
    case "float":
      if (found === "int" || found === "float") return value
      break
    case "timestamp":
      if (timestamp.test(text)) return text
      break
    default:
      return text
  }
  throw new YamlFault(`cannot decode !!${found} \`${text}\` as a !!${name}`)
}
