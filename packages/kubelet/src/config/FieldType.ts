import { nearest, parseDuration, parseQuantity } from "@rollcall/api"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type ConfigProblem, shown } from "./ConfigProblem.ts"

/** Values that are not made of others. A duration is Go's text; a quantity is a text or a number. */
export type Scalar =
  | "text"
  | "boolean"
  | "int32"
  | "int64"
  | "number"
  | "duration"
  | "durationOrNanoseconds"
  | "quantity"

/** What may stand in a field of a configuration file. */
export type FieldType =
  | Scalar
  | { readonly list: FieldType }
  | { readonly map: FieldType }
  | { readonly fields: Fields }

export interface Fields {
  readonly [name: string]: FieldType
}

/** What a field of a type holds. */
export type ValueOf<T> = T extends "boolean"
  ? boolean
  : T extends "int32" | "int64" | "number"
    ? number
    : T extends "quantity" | "durationOrNanoseconds"
      ? string | number
      : T extends Scalar
        ? string
        : T extends { readonly list: infer Item }
          ? ReadonlyArray<ValueOf<Item>>
          : T extends { readonly map: infer Value }
            ? Readonly<Record<string, ValueOf<Value>>>
            : T extends { readonly fields: infer Of }
              ? { readonly [Name in keyof Of]?: ValueOf<Of[Name]> }
              : never

const INT32 = 2 ** 31

const isQuantity = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") && Result.isSuccess(parseQuantity(String(value).trim()))

const isDuration = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(parseDuration(value))

const scalars: Readonly<Record<Scalar, readonly [expected: string, is: (value: unknown) => boolean]>> = {
  text: ["a text", (value) => typeof value === "string"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  int32: [
    "a whole number of at most 32 bits",
    (value) => Number.isInteger(value) && Number(value) >= -INT32 && Number(value) < INT32
  ],
  int64: ["a whole number", (value) => Number.isInteger(value)],
  number: ["a number", (value) => Number.isFinite(value)],
  duration: ["a duration such as 40s or 5m", isDuration],
  durationOrNanoseconds: ["a duration such as 40s or 5m", (value) => Number.isInteger(value) || isDuration(value)],
  quantity: ["a quantity such as 500m or 1Gi", isQuantity]
}

const join = (path: string, key: string) => (path === "" ? key : `${path}.${key}`)

/** Where a check writes down what it finds. */
export interface Findings {
  readonly file: string
  readonly problems: Array<ConfigProblem>
  /** Paths of fields that nobody knows, nor nearly: upstream's lenient decoding leaves them out. */
  readonly unknown: Array<string>
}

/** The value without fields that are not known; null stays: it stands for a field that is not given. */
export const checkField = (type: FieldType, value: unknown, path: string, findings: Findings): unknown => {
  if (value === null) return null
  const expected = (what: string) => {
    findings.problems.push({ file: findings.file, path, message: `found ${shown(value)}, expected ${what}` })
    return null
  }
  if (typeof type === "string") {
    const [what, is] = scalars[type]
    return is(value) ? value : expected(what)
  }
  if ("list" in type) {
    if (!Array.isArray(value)) return expected("a list")
    return value.map((item: unknown, index) => checkField(type.list, item, `${path}[${index}]`, findings))
  }
  if (!Predicate.isReadonlyObject(value)) return expected("map" in type ? "a map" : "an object")
  if ("fields" in type) return checkFields(type.fields, value, path, findings)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, checkField(type.map, inner, join(path, key), findings)])
  )
}

/** A name that is nearly one of the known ones is a problem; any other unknown one is noted and left out. */
export const checkFields = (
  fields: Fields,
  value: Readonly<Record<string, unknown>>,
  path: string,
  findings: Findings
): Readonly<Record<string, unknown>> => {
  const found: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const type = Object.hasOwn(fields, name) ? fields[name] : undefined
    const at = join(path, name)
    if (type !== undefined) {
      found[name] = checkField(type, inner, at, findings)
      continue
    }
    const near = nearest(name, Object.keys(fields))
    if (near === undefined) findings.unknown.push(at)
    else findings.problems.push({ file: findings.file, path: at, message: `unknown field; did you mean "${near}"?` })
  }
  return found
}
