import { formatQuantity, hasWholeMilli, type QuantityLike } from "../quantity/Quantity.ts"
import { goQuote } from "../validation/goFormat.ts"

/** Returns the warning for an amount of bytes that is not whole. */
export const fractionWarning = (quantity: QuantityLike | undefined, path: string): ReadonlyArray<string> =>
  quantity === undefined || hasWholeMilli(quantity)
    ? []
    : [`${path}: fractional byte value ${goQuote(formatQuantity(quantity))} is invalid, must be an integer`]
