import { parseDuration, parseQuantity } from "@rollcall/api"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The schemas of the values of a KubeletConfiguration's fields. Durations and quantities remain as written. */

const INT32 = 2 ** 31

const isDuration = (text: string): boolean => !Number.isNaN(parseDuration(text))

const isQuantity = (value: string | number): boolean => Result.isSuccess(parseQuantity(String(value).trim()))

const DURATION = "a duration such as 40s or 5m"
const QUANTITY = "a quantity such as 500m or 1Gi"

const whole = (title: string, expected: string, accepts: (value: number) => boolean) =>
  Schema.Number.annotate({ title, expected }).check(
    Schema.makeFilter((value: number) => Number.isInteger(value) && accepts(value), { title, expected })
  )

export const text = Schema.String.annotate({ title: "text", expected: "a text" })
export const boolean = Schema.Boolean.annotate({ title: "boolean", expected: "true or false" })
export const int32 = whole("int32", "a whole number of at most 32 bits", (value) => value >= -INT32 && value < INT32)
export const int64 = whole("int64", "a whole number", () => true)
export const number = Schema.Number.annotate({ title: "number", expected: "a number" }).check(
  Schema.makeFilter(Number.isFinite, { title: "number", expected: "a number" })
)
/** A duration in Go's text form. */
export const duration = Schema.String.annotate({ title: "duration", expected: DURATION }).check(
  Schema.makeFilter(isDuration, { title: "duration", expected: DURATION })
)
export const durationOrNanoseconds = Schema.Union([
  Schema.String.check(Schema.makeFilter(isDuration, { expected: DURATION })),
  Schema.Number.check(Schema.makeFilter(Number.isInteger, { expected: DURATION }))
]).annotate({ title: "durationOrNanoseconds", expected: DURATION })
export const quantity = Schema.Union([
  Schema.String.check(Schema.makeFilter(isQuantity, { expected: QUANTITY })),
  Schema.Number.check(Schema.makeFilter(isQuantity, { expected: QUANTITY }))
]).annotate({ title: "quantity", expected: QUANTITY })

/**
 * Also accepts null, which means that a field is not given: in a drop-in it removes the value of the previous files.
 */
const orNull = <S extends Schema.Constraint>(schema: S) => {
  const { expected = "" } = SchemaAST.resolve(schema.ast) ?? {}
  return Schema.NullOr(schema).annotate({ expected: String(expected) })
}

/** A field that may be omitted. */
const field = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(orNull(schema))

export const list = <S extends Schema.Constraint>(item: S) => Schema.Array(item).annotate({ expected: "a list" })

export const map = <S extends Schema.Constraint>(value: S) =>
  Schema.Record(Schema.String, orNull(value)).annotate({ expected: "a map" })

/** An object whose fields may all be omitted. */
export const object = <const F extends Readonly<Record<string, Schema.Constraint>>>(fields: F) =>
  Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, field(schema)])) as {
      readonly [Name in keyof F]: ReturnType<typeof field<F[Name]>>
    }
  ).annotate({ expected: "an object" })

/** A type without null in its fields, at all depths. */
export type WithoutNulls<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<WithoutNulls<Item>>
    : T extends object
      ? { readonly [Name in keyof T]: WithoutNulls<Exclude<T[Name], null>> }
      : T
