import { formatDuration, parseDuration } from "@rollcall/api"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** The type of a setting's values: how files and flags spell them, and how messages describe them. */
export interface ValueType<A> {
  /** Decodes a value of a configuration file or a flag, and encodes it as Go's components print it. */
  readonly schema: Schema.Codec<A, string | number | boolean>
  /** The valid values, for messages: `a duration such as 40s or 5m`. */
  readonly expected: string
  /** The placeholder of the value in help texts; undefined for booleans. */
  readonly placeholder: string | undefined
  /** The value of a flag without one; absent if the flag needs a value. */
  readonly bare?: string
}

/** The smallest and the largest valid value; an absent one is no limit. */
export interface Bounds {
  readonly min?: number
  readonly max?: number
}

const withBounds = (what: string, { min, max }: Bounds): string => {
  if (min === undefined) return what
  return max === undefined ? `${what} of at least ${min}` : `${what} from ${min} to ${max}`
}

const numeric = (
  what: string,
  placeholder: string,
  accepts: (value: number) => boolean,
  bounds: Bounds
): ValueType<number> => {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bounds
  const expected = withBounds(what, bounds)
  return {
    schema: Schema.Number.annotate({ expected }).check(
      Schema.makeFilter((value: number) => Number.isFinite(value) && accepts(value) && value >= min && value <= max, {
        expected
      })
    ),
    expected,
    placeholder
  }
}

/** A number, with fractions. */
export const numberValue = (bounds: Bounds = {}): ValueType<number> => numeric("a number", "float", () => true, bounds)

export const integerValue = (bounds: Bounds = {}): ValueType<number> =>
  numeric("a whole number", "int", Number.isInteger, bounds)

export const booleanValue: ValueType<boolean> = {
  schema: Schema.Boolean.annotate({ expected: "true or false" }),
  expected: "true or false",
  placeholder: undefined,
  bare: "true"
}

export const textValue: ValueType<string> = {
  schema: Schema.String.annotate({ expected: "a text" }),
  expected: "a text",
  placeholder: "string"
}

const DURATION = "a duration such as 40s or 5m"

const WrittenDuration = Schema.Union([
  Schema.Number.check(Schema.makeFilter(Number.isFinite, { expected: DURATION })),
  Schema.String.check(Schema.makeFilter((text: string) => Number.isFinite(parseDuration(text)), { expected: DURATION }))
]).annotate({ expected: DURATION })

/** A duration in milliseconds, which files and flags spell as a Go duration or a number of seconds. */
export const durationValue: ValueType<number> = {
  schema: WrittenDuration.pipe(
    Schema.decodeTo(
      Schema.Finite,
      SchemaTransformation.transform({
        decode: (written: string | number) => parseDuration(written),
        encode: (ms): string | number => formatDuration(ms)
      })
    )
  ),
  expected: DURATION,
  placeholder: "duration"
}
