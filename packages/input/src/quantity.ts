import { parseQuantity } from "@rollcall/api"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const QUANTITY = "a quantity such as 500m, 4 or 32Gi"

/** Whether a text is a quantity, such as `500m` or `32Gi`. */
export const isQuantity = (text: string): boolean => Result.isSuccess(parseQuantity(text))

/** A quantity as text, or a number. */
export const Quantity = Schema.Union([
  Schema.Finite,
  Schema.String.check(Schema.makeFilter(isQuantity, { expected: QUANTITY }))
]).annotate({ expected: QUANTITY })
