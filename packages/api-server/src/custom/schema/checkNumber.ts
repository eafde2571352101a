import type { ErrorList } from "@rollcall/api/validation"
import { inBody, place } from "./checkScalars.ts"
import type { JsonSchema } from "./JsonSchema.ts"

/** The smallest and largest numbers of the formats of integers; int64 is the default. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64 - 1],
  int64: [-(2 ** 63), 2 ** 63 - 1]
}
const MAX_FLOAT32 = 3.4028234663852886e38

/** Whether a number, the value or a bound of it, is one of the schema's type and format. */
const isOfFormat = (value: number, { format = "", type }: JsonSchema): boolean => {
  if (type !== "integer") return !(format === "float" || format === "float32") || Math.abs(value) <= MAX_FLOAT32
  const [least, most] = ranges[format] ?? [-(2 ** 63), 2 ** 63 - 1]
  return Number.isInteger(value) && value >= least && value <= most
}

/** Formats a number as Go's `%v` of a float64: with an exponent if it is large or small. */
const goFloat = (value: number): string => {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2")
}

/** A bound as a value is compared to it, and as errors show it. */
const boundOf = (bound: number, value: number, schema: JsonSchema): readonly [bound: number, text: string] => {
  const asInteger = isOfFormat(value, { type: "integer" }) && isOfFormat(bound, schema)
  return asInteger ? [Math.trunc(bound), String(Math.trunc(bound))] : [bound, goFloat(bound)]
}

/**
 * Checks the format and range of a number, and that its bounds are of that format. Upstream:
 * kube-openapi/pkg/validation/validate, numberValidator.
 */
export const checkNumber = (errors: ErrorList, value: number, schema: JsonSchema, path: string): void => {
  const { exclusiveMaximum, exclusiveMinimum, format, maximum, minimum, multipleOf, type } = schema
  const checkFormat = (what: string, checked: number) => {
    if (isOfFormat(checked, schema)) return
    const form = format === undefined || format === "" ? "(default format)" : `with format ${format}`
    errors.invalid("<nil>", "", `${what} value must be of type ${type} ${form} in ${path}`)
  }
  const addRangeError = (what: string) => errors.invalid(place(path), value, `${inBody(path)} should be ${what}`)
  checkFormat("Checked", value)
  if (multipleOf !== undefined) {
    checkFormat("MultipleOf", multipleOf)
    const [factor, text] = boundOf(multipleOf, value, schema)
    if (!Number.isInteger(value / factor)) addRangeError(`a multiple of ${text}`)
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
