import { formatDuration, parseDuration } from "@rollcall/api"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** What a setting holds: how a file writes it, how a flag writes it, and the words for both. */
export interface ValueType<A> {
  /** A value as a configuration file has it. Encoded, it is as Go's components print it. */
  readonly schema: Schema.Codec<A, string | number | boolean>
  /** What is expected of it: `a duration such as 40s or 5m`. */
  readonly expected: string
  /** The value's name in usage texts; booleans have none. */
  readonly placeholder: string | undefined
  /** The text that a flag without one stands for. */
  readonly bare?: string
}

/** The least and the most that make sense. */
export interface Bounds {
  readonly least?: number
  readonly most?: number
}

const within = (what: string, { least, most }: Bounds): string => {
  if (least === undefined) return what
  return most === undefined ? `${what} of at least ${least}` : `${what} from ${least} to ${most}`
}

const numeric = (
  what: string,
  placeholder: string,
  accepts: (value: number) => boolean,
  bounds: Bounds
): ValueType<number> => {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = bounds
  const expected = within(what, bounds)
  return {
    schema: Schema.Number.annotate({ expected }).check(
      Schema.makeFilter(
        (value: number) => Number.isFinite(value) && accepts(value) && value >= least && value <= most,
        {
          expected
        }
      )
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

/** Milliseconds, written as one of Go's durations or as a number of seconds. */
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
