import * as Schema from "effect/Schema"
import { isDurationText, isSignedDurationText } from "./duration.ts"

/** Schemas of fields that people write in files of more than one kind. */

export const Texts = Schema.Array(Schema.String)
export const TextMap = Schema.Record(Schema.String, Schema.String)
/** An object whose fields are checked later, by another reader. */
export const Fields = Schema.Record(Schema.String, Schema.Unknown)

export const Count = Schema.Finite.check(
  Schema.makeFilter((value: number) => Number.isInteger(value) && value > 0, { expected: "a whole number above 0" })
)

export const Share = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "a number from 0 to 1" })
)

const DURATION = "a duration that is not negative, such as 90s, 12m or 1h30m, or a number of seconds"
const SIGNED_DURATION = "a duration such as 800ms, 90s or -2m, or a number of seconds"

/** A Go duration such as `90s`, or a number of seconds; never negative. */
export const Duration = Schema.Union([
  Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { expected: DURATION })),
  Schema.String.check(Schema.makeFilter(isDurationText, { expected: DURATION }))
]).annotate({ expected: DURATION })

export const SignedDuration = Schema.Union([
  Schema.Finite,
  Schema.String.check(Schema.makeFilter(isSignedDurationText, { expected: SIGNED_DURATION }))
]).annotate({ expected: SIGNED_DURATION })

/** A label selector as kubectl's text, as a LabelSelector, or as labels: see `readSelector`. */
export const SelectorText = Schema.Union([Schema.String, Fields])
