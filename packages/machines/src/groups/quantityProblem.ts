import { parseQuantity, signOf } from "@rollcall/api"
import { type Wrong, wrongValue } from "@rollcall/input"
import * as Result from "effect/Result"

/** Returns why a quantity is not the amount of something; undefined if it is. */
export const quantityProblem = (value: string | number): Wrong | undefined => {
  const parsed = parseQuantity(String(value))
  return Result.isSuccess(parsed) && signOf(parsed.success) < 0
    ? wrongValue(value, "a quantity that is not negative")
    : undefined
}
