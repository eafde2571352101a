import * as Result from "effect/Result"
import type { Quantity } from "../objects/Scalars.ts"
import {
  type Amount,
  fitsInt64,
  makeAmount,
  powerOfTen,
  type QuantityFormat,
  shrink,
  smallUnscaledAt,
  unscaledAt
} from "./Amount.ts"
import { canonicalText } from "./format.ts"
import { parseQuantity } from "./parse.ts"

/** The rules take a quantity as it stands on the wire, or parsed. */
export type QuantityLike = Quantity | Amount

/**
 * The value of a quantity that is known to be one (Schemas check at the boundary); throws its QuantityError otherwise.
 * Blanks around the text are ignored, as in JSON decoding.
 */
export const amountOf = (quantity: QuantityLike): Amount => {
  if (typeof quantity === "object") return quantity
  return Result.getOrThrow(parseQuantity(typeof quantity === "number" ? String(quantity) : quantity.trim()))
}

/** A whole number of something; with a scale, of its 10^scale parts. */
export const makeQuantity = (value: number, format: QuantityFormat = "DecimalSI", scale = 0): Amount =>
  makeAmount(value, scale, format)

/** Thousandths, as cpu is counted. */
export const makeMilliQuantity = (milli: number, format: QuantityFormat = "DecimalSI"): Amount =>
  makeAmount(milli, -3, format)

export const zeroQuantity: Amount = makeAmount(0, 0, "DecimalSI")

/** As Kubernetes prints it: the text it was parsed from where that looked canonical, else the canonical text. */
export const formatQuantity = (quantity: QuantityLike): string => {
  const amount = amountOf(quantity)
  return amount.text ?? canonicalText(amount)
}

/** The text that equal values of one format share. */
export const canonicalQuantity = (quantity: QuantityLike): string => canonicalText(amountOf(quantity))

export const signOf = (quantity: QuantityLike): -1 | 0 | 1 => {
  const { unscaled } = amountOf(quantity)
  return unscaled > 0 ? 1 : unscaled < 0 ? -1 : 0
}

/** By value, never by text. */
export const compareQuantity = (left: QuantityLike, right: QuantityLike): -1 | 0 | 1 => {
  const a = amountOf(left)
  const b = amountOf(right)
  const scale = Math.min(a.scale, b.scale)
  const x = smallUnscaledAt(a, scale)
  const y = smallUnscaledAt(b, scale)
  if (x === y) return 0
  if (x < y) return -1
  if (x > y) return 1
  const difference = unscaledAt(a, scale) - unscaledAt(b, scale)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

export const equalQuantity = (left: QuantityLike, right: QuantityLike): boolean => compareQuantity(left, right) === 0

const sum = (a: Amount, b: Amount, sign: 1 | -1): Amount => {
  const format = a.unscaled === 0 ? b.format : a.format
  const big = a.big || b.big
  if (b.unscaled === 0) return makeAmount(a.unscaled, a.scale, format, big)
  if (a.unscaled === 0) return makeAmount(negated(b.unscaled, sign), b.scale, format, big)
  const scale = Math.min(a.scale, b.scale)
  const small = smallUnscaledAt(a, scale) + sign * smallUnscaledAt(b, scale)
  if (Number.isSafeInteger(small)) return makeAmount(small, scale, format, big)
  const x = unscaledAt(a, scale)
  const y = BigInt(sign) * unscaledAt(b, scale)
  return makeAmount(x + y, scale, format, big || !fitsInt64(x) || !fitsInt64(y) || !fitsInt64(x + y))
}

const negated = (unscaled: number | bigint, sign: 1 | -1): number | bigint =>
  sign === 1 ? unscaled : typeof unscaled === "bigint" ? -unscaled : 0 - unscaled

/** Keeps the left one's format; a zero on the left takes the right one's. */
export const addQuantity = (left: QuantityLike, right: QuantityLike): Amount => sum(amountOf(left), amountOf(right), 1)

/** As `addQuantity` for the format. */
export const subtractQuantity = (left: QuantityLike, right: QuantityLike): Amount =>
  sum(amountOf(left), amountOf(right), -1)

export const negateQuantity = (quantity: QuantityLike): Amount => {
  const { big, format, scale, unscaled } = amountOf(quantity)
  return makeAmount(negated(unscaled, -1), scale, format, big)
}

/** By a whole number. */
export const multiplyQuantity = (quantity: QuantityLike, factor: number): Amount => {
  const { big, format, scale, unscaled } = amountOf(quantity)
  const product = BigInt(unscaled) * BigInt(factor)
  return makeAmount(product, scale, format, big || !fitsInt64(product))
}

export const maxQuantity = (left: QuantityLike, right: QuantityLike): QuantityLike =>
  compareQuantity(left, right) >= 0 ? left : right

/** Divides by a power of ten; what is left over adds one, in the direction that `upwards` says. */
const divide = (
  unscaled: number | bigint,
  places: number,
  upwards: boolean
): { readonly quotient: number | bigint; readonly exact: boolean } => {
  const unit = powerOfTen(places)
  const dividend = BigInt(unscaled)
  const quotient = dividend / unit
  if (dividend % unit === 0n) return { quotient: shrink(quotient), exact: true }
  return { quotient: shrink(upwards ? quotient + 1n : quotient - 1n), exact: false }
}

/**
 * The quantity in units of 10^scale, rounded away from zero to a whole number; except that a value held as a big decimal
 * (see `Amount.big`) is truncated and gets one added, so `-0.5n` gives +1. Beyond 2^53 the result is the nearest number.
 */
export const scaledValue = (quantity: QuantityLike, scale: number): number => {
  const amount = amountOf(quantity)
  if (amount.scale >= scale) {
    const small = smallUnscaledAt(amount, scale)
    return Number.isNaN(small) ? Number(unscaledAt(amount, scale)) : small
  }
  return Number(divide(amount.unscaled, scale - amount.scale, amount.big || amount.unscaled > 0).quotient)
}

/** In whole units: bytes, pods. Upstream: Quantity.Value. */
export const value = (quantity: QuantityLike): number => scaledValue(quantity, 0)

/** In thousandths: millicores. Upstream: Quantity.MilliValue. */
export const milliValue = (quantity: QuantityLike): number => scaledValue(quantity, -3)

/** The nearest floating-point number. Upstream: Quantity.AsApproximateFloat64. */
export const approximateValue = (quantity: QuantityLike): number => {
  const { scale, unscaled } = amountOf(quantity)
  return scale === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${scale}`)
}

/** Rounds away from zero to a multiple of 10^scale. */
export const roundUpQuantity = (
  quantity: QuantityLike,
  scale: number
): { readonly amount: Amount; readonly exact: boolean } => {
  const amount = amountOf(quantity)
  if (amount.scale >= scale) return { amount, exact: true }
  const { exact, quotient } = divide(amount.unscaled, scale - amount.scale, amount.unscaled > 0)
  return { amount: makeAmount(quotient, scale, amount.format, amount.big), exact }
}
