import * as Schema from "effect/Schema"
import { oneOf } from "../internal/fields.ts"
import type { OneOf } from "../internal/OneOf.ts"
import { QuantityError, readAmount } from "../quantity/parse.ts"
import { isMicroTime, parseTime } from "../Time.ts"

/** A quantity in wire form: `"1500m"`, `"1Gi"`, or a bare JSON number. */
export const Quantity = Schema.Union([
  Schema.String.check(
    Schema.makeFilter((text) => {
      const amount = readAmount(text.trim())
      return amount instanceof QuantityError ? amount.message : undefined
    })
  ),
  Schema.Finite
])
export type Quantity = typeof Quantity.Type

/** Amounts by resource name (`cpu`, `memory`, `pods`, `example.com/gpu`). */
export const ResourceList = Schema.Record(Schema.String, Quantity)
export type ResourceList = typeof ResourceList.Type

/** An absolute number or a percentage: `2` or `"25%"`. */
export const IntOrString = Schema.Union([Schema.Int, Schema.String])
export type IntOrString = typeof IntOrString.Type

/** RFC 3339 with whole seconds, UTC: `2026-01-01T00:00:00Z`. See `formatTime`. */
export const Time = Schema.String.check(
  Schema.makeFilter((text) => !Number.isNaN(parseTime(text)), { expected: "a time like 2026-01-01T00:00:00Z" })
)
/** RFC 3339 with six digits of fraction: `2026-01-01T00:00:00.000000Z`. See `formatMicroTime`. */
export const MicroTime = Schema.String.check(
  Schema.makeFilter(isMicroTime, { expected: "a time like 2026-01-01T00:00:00.000000Z" })
)

/** The status of a condition, of nodes and pods alike. */
export type ConditionStatus = OneOf<"True" | "False" | "Unknown">
export const ConditionStatus = oneOf("True", "False", "Unknown")
