import * as Result from "effect/Result"
import type { Amount } from "./Amount.ts"
import { QuantityError, readAmount } from "./parse.ts"

/** Parses a quantity: a number with optional sign and fraction, then `Ki`…`Ei`, `n`…`E`, or `e3`. */
export const parseQuantity = (text: string): Result.Result<Amount, QuantityError> => {
  const amount = readAmount(text)
  return amount instanceof QuantityError ? Result.fail(amount) : Result.succeed(amount)
}
