import type { ErrorList } from "@rollcall/api/validation"
import { hasFormat, isKnownFormat } from "./formats.ts"
import type { JsonSchema } from "./JsonSchema.ts"
import { matchesPattern } from "./patterns.ts"
import { canonicalText, type Sameness } from "./sameness.ts"
import { FAULT_STEPS, type Work } from "./Work.ts"

/** The validation of one object: its errors, its remaining work, and its unchanged parts. */
export interface Run {
  readonly errors: ErrorList
  readonly work: Work
  readonly sameness: Sameness
  /** The parts deferred because a yield was due, in order; undefined if the validation never yields. */
  readonly deferred: Array<() => void> | undefined
}

/** Returns the name of a value's type in JSON Schema. */
const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "bigint") return "integer"
  // A number beyond these is a float64 in Go, and no integer of JSON.
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number"
  return typeof value
}

/** Returns the field of an error: Kubernetes prints `<nil>` for the object itself. */
export const place = (path: string): string => (path === "" ? "<nil>" : path)
export const inBody = (path: string): string => `${path} in body`

const addTypeError = (errors: ErrorList, path: string, wanted: string, found: unknown): void => {
  const shown = typeof found === "string" ? `: ${JSON.stringify(found)}` : ""
  errors.add("FieldValueTypeInvalid", place(path), found, `${inBody(path)} must be of type ${wanted}${shown}`)
}

/** Returns the format of a schema; one that is not known for its type means nothing. */
const formatOf = ({ format = "", type }: JsonSchema): string => (isKnownFormat(format, type) ? format : "")

/** Returns the format of numbers of the schema. */
export const numericFormat = (schema: JsonSchema): string =>
  schema.type === "integer" || schema.type === "number" ? formatOf(schema) : ""

/** What Go has as formats of values without one. */
const foundFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" }

/**
 * Checks the type of a value, and whether it may be null. Texts and lists are left to the format, if there is one and the
 * type is no number. Upstream: kube-openapi/pkg/validation/validate/type.go.
 */
export const checkType = (errors: ErrorList, value: unknown, schema: JsonSchema, path: string): void => {
  const types = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : []
  const found = typeName(value)
  const format = formatOf(schema)
  if (types.length === 0 && (format === "" || value === null)) return
  if (value === null) {
    if (schema.nullable !== true) addTypeError(errors, path, types.join(","), found)
    return
  }
  if (types.includes(found) || (found === "integer" && types.includes("number"))) return
  const isLeftToFormat = found === "string" || found === "array"
  if (format !== "" && !isLeftToFormat) addTypeError(errors, path, format, foundFormats[found] ?? "")
  else if (format === "" || types.includes("number") || types.includes("integer")) {
    addTypeError(errors, path, types.join(","), found)
  }
}

/**
 * The values of an enum: `known` has their canonical texts, `shown` those for errors. Computed once for each schema, so
 * that a value is found among thousands in constant time.
 */
interface EnumValues {
  readonly known: ReadonlySet<string>
  readonly shown: ReadonlyArray<string>
  /** The total length of the texts. */
  readonly length: number
}

const enums = new WeakMap<ReadonlyArray<unknown>, EnumValues>()

const enumValues = (allowed: ReadonlyArray<unknown>): EnumValues => {
  const known = enums.get(allowed)
  if (known !== undefined) return known
  const texts = allowed.map(canonicalText)
  const shown = allowed.map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const made = { known: new Set(texts), shown, length }
  enums.set(allowed, made)
  return made
}

/**
 * Whether a number becomes a value of an enum by Go's conversion to its type: a fraction is cut for an integer, and an
 * integer is a code point for a text. Upstream: kube-openapi/pkg/validation/validate/values.go, Enum.
 */
const isConvertible = (value: unknown, into: unknown): boolean => {
  if (typeof value !== "number" && typeof value !== "bigint") return false
  const number = Number(value)
  const isInteger = Number.isInteger(number)
  if (typeof into === "string") return isInteger && characterOf(number) === into
  return !isInteger && (typeof into === "number" || typeof into === "bigint") && Number(into) === Math.trunc(number)
}

const characterOf = (code: number): string =>
  code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code)

/** Checks that a value is in the schema's enum. */
export const checkEnum = ({ errors, work }: Run, value: unknown, schema: JsonSchema, path: string): void => {
  const allowed = schema.enum
  if (allowed === undefined || allowed.length === 0) return
  const { known, length, shown } = enumValues(allowed)
  const text = canonicalText(value)
  work.spend(text.length)
  if (known.has(text)) return
  work.spend(FAULT_STEPS + length)
  if (allowed.some((each) => isConvertible(value, each))) return
  if (typeof value === "string") errors.notSupportedText(place(path), value, shown)
  else errors.notSupported(place(path), value, shown)
}

/** Checks length, pattern and format of a text. */
export const checkText = ({ errors, work }: Run, value: string, schema: JsonSchema, path: string): void => {
  const { maxLength, minLength, pattern } = schema
  const format = formatOf(schema)
  const length = maxLength === undefined && minLength === undefined ? 0 : [...value].length
  const before = errors.size
  if (maxLength !== undefined && length > maxLength) errors.tooLong(place(path), maxLength)
  else if (minLength !== undefined && length < minLength) {
    errors.invalid(place(path), value, `${inBody(path)} should be at least ${minLength} chars long`)
  } else if (pattern !== undefined && !matchesPattern(pattern, value, work)) {
    errors.invalid(place(path), value, `${inBody(path)} should match '${pattern}'`)
  }
  if (format !== "") {
    work.spend(value.length)
    if (!hasFormat(format, value)) addFormatError(errors, path, format, value)
  }
  if (errors.size > before) work.spend(value.length + (pattern?.length ?? 0))
}

const addFormatError = (errors: ErrorList, path: string, format: string, value: string): void =>
  errors.add(
    "FieldValueTypeInvalid",
    place(path),
    value,
    `${inBody(path)} must be of type ${format}: ${JSON.stringify(value)}`
  )
