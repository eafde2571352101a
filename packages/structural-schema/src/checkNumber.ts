import { goFloat } from "@rollcall/api/text"
import type { ErrorList } from "@rollcall/api/validation"
import { inBody, numericFormat, place } from "./checkScalars.ts"
import type { JsonSchema } from "./JsonSchema.ts"

/** The smallest and largest integers of the formats; int64 is the default. */
const ranges = { int32: [-(2n ** 31n), 2n ** 31n - 1n], int64: [-(2n ** 63n), 2n ** 63n - 1n] } as const
const MAX_FLOAT32 = 3.4028234663852886e38

const isWhole = (value: number | bigint): boolean => typeof value === "bigint" || Number.isInteger(value)

/** Whether a number, the value or a bound of it, is one of the schema's type and format. */
const isOfFormat = (value: number | bigint, schema: JsonSchema): boolean => {
  const format = numericFormat(schema)
  if (schema.type !== "integer") return format !== "float" || Math.abs(Number(value)) <= MAX_FLOAT32
  const [least, most] = format === "int32" ? ranges.int32 : ranges.int64
  return isWhole(value) && value >= least && value <= most
}

/** A bound as a value is compared to it, whether as an integer, and as errors show it. */
const boundOf = (
  bound: number,
  value: number | bigint,
  schema: JsonSchema
): readonly [bound: number, text: string, isInteger: boolean] => {
  // A whole number that a number cannot hold exactly is a float64 in Go.
  const isInteger = typeof value === "bigint" || Number.isSafeInteger(value)
  const asInteger = isInteger && isOfFormat(bound, schema)
  return asInteger ? [Math.trunc(bound), String(Math.trunc(bound)), true] : [bound, goFloat(bound), false]
}

/** How far a float64 may be from a whole number that it counts as. Upstream: go-openapi/swag, IsFloat64AJSONInteger. */
const EPSILON = 1e-9

const isNearlyWhole = (value: number): boolean => {
  if (Number.isSafeInteger(value)) return true
  const whole = Math.trunc(value)
  return whole > 0 && value <= Number.MAX_SAFE_INTEGER && (value - whole) / (value + whole) < EPSILON
}

const isMultiple = (value: number | bigint, factor: number, isInteger: boolean): boolean =>
  isInteger
    ? BigInt(value) % BigInt(factor) === 0n
    : isNearlyWhole(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor)

/**
 * Checks the format and range of a number, and that its bounds are of that format. Upstream:
 * kube-openapi/pkg/validation/validate, numberValidator.
 */
export const checkNumber = (errors: ErrorList, value: number | bigint, schema: JsonSchema, path: string): void => {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf, type } = schema
  const checkFormat = (what: string, checked: number | bigint) => {
    if (isOfFormat(checked, schema)) return
    const format = numericFormat(schema)
    const form = format === "" ? "(default format)" : `with format ${format}`
    errors.invalid("<nil>", "", `${what} value must be of type ${type} ${form} in ${path}`)
  }
  const addRangeError = (what: string) => errors.invalid(place(path), value, `${inBody(path)} should be ${what}`)
  checkFormat("Checked", value)
  if (multipleOf !== undefined) {
    checkFormat("MultipleOf", multipleOf)
    const [factor, text, isInteger] = boundOf(multipleOf, value, schema)
    if (factor <= 0)
      errors.invalid(place(path), factor, `factor MultipleOf declared for ${path} must be positive: ${text}`)
    else if (!isMultiple(value, factor, isInteger)) addRangeError(`a multiple of ${text}`)
  }
  if (minimum !== undefined) {
    checkFormat("Minimum boundary", minimum)
    const [least, text] = boundOf(minimum, value, schema)
    if (exclusiveMinimum === true ? value <= least : value < least) {
      addRangeError(`greater than ${exclusiveMinimum === true ? "" : "or equal to "}${text}`)
    }
  }
  if (maximum !== undefined) {
    checkFormat("Maximum boundary", maximum)
    const [most, text] = boundOf(maximum, value, schema)
    if (exclusiveMaximum === true ? value >= most : value > most) {
      addRangeError(`less than ${exclusiveMaximum === true ? "" : "or equal to "}${text}`)
    }
  }
}
