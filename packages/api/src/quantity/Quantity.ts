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
import { QuantityError, readAmount } from "./parse.ts"

/** A quantity in wire form or parsed. */
export type QuantityLike = string | number | Amount

/**
 * Parses a quantity that Schemas have already checked; throws its QuantityError otherwise. Spaces around the text are
 * ignored, as in JSON decoding.
 */
export const amountOf = (quantity: QuantityLike): Amount => {
  if (typeof quantity === "object") return quantity
  const amount = readAmount(typeof quantity === "number" ? String(quantity) : quantity.trim())
  if (amount instanceof QuantityError) throw amount
  return amount
}

/** Makes a quantity of value × 10^scale. */
export const makeQuantity = (value: number, format: QuantityFormat = "DecimalSI", scale = 0): Amount =>
  makeAmount(value, scale, format)

/** Makes a quantity in thousandths, the unit of cpu. */
export const makeMilliQuantity = (milli: number | bigint, format: QuantityFormat = "DecimalSI"): Amount =>
  makeAmount(milli, -3, format)

export const zeroQuantity: Amount = /* @__PURE__ */ makeAmount(0, 0, "DecimalSI")

/**
 * Formats a quantity as Kubernetes does: the text it was parsed from where upstream considers that canonical, otherwise
 * the canonical text.
 */
export const formatQuantity = (quantity: QuantityLike): string => {
  const amount = amountOf(quantity)
  return amount.text ?? canonicalText(amount)
}

/** Returns the canonical text, which is the same for equal values of one format. */
export const canonicalQuantity = (quantity: QuantityLike): string => canonicalText(amountOf(quantity))

export const signOf = (quantity: QuantityLike): -1 | 0 | 1 => {
  const { unscaled } = amountOf(quantity)
  return unscaled > 0 ? 1 : unscaled < 0 ? -1 : 0
}

/** Compares by value, never by text. */
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

/** Adds two quantities. The result has the left one's format; if the left one is zero, the right one's. */
export const addQuantity = (left: QuantityLike, right: QuantityLike): Amount => sum(amountOf(left), amountOf(right), 1)

/** Subtracts the right quantity from the left one. The result has the format that `addQuantity` gives it. */
export const subtractQuantity = (left: QuantityLike, right: QuantityLike): Amount =>
  sum(amountOf(left), amountOf(right), -1)

export const negateQuantity = (quantity: QuantityLike): Amount => {
  const { big, format, scale, unscaled } = amountOf(quantity)
  return makeAmount(negated(unscaled, -1), scale, format, big)
}

/** Multiplies by an integer. */
export const multiplyQuantity = (quantity: QuantityLike, factor: number): Amount => {
  const { big, format, scale, unscaled } = amountOf(quantity)
  const product = BigInt(unscaled) * BigInt(factor)
  return makeAmount(product, scale, format, big || !fitsInt64(product))
}

/** Divides by 10^places. A remainder changes the truncated quotient by +1 if `upwards`, otherwise by -1. */
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

/** The nearest number to the end of int64, so that sums and quotients of the largest quantities stay finite. */
const inInt64 = (units: number | bigint): number => Math.max(-(2 ** 63), Math.min(2 ** 63, Number(units)))

/**
 * Returns the quantity in units of 10^scale, rounded away from zero to an integer; but a value stored as a big decimal
 * (see `Amount.big`) is truncated and incremented by one, so `-0.5n` gives +1. Beyond 2^53 the result is the nearest
 * number, and ±2^63 beyond an int64, where upstream's result overflows.
 */
export const scaledValue = (quantity: QuantityLike, scale: number): number => {
  const amount = amountOf(quantity)
  if (amount.scale >= scale) {
    const small = smallUnscaledAt(amount, scale)
    return Number.isNaN(small) ? inInt64(unscaledAt(amount, scale)) : small
  }
  return inInt64(divide(amount.unscaled, scale - amount.scale, amount.big || amount.unscaled > 0).quotient)
}

/** Returns the value in whole units: bytes, pods. Upstream: Quantity.Value. */
export const value = (quantity: QuantityLike): number => scaledValue(quantity, 0)

/** Returns the value in thousandths: millicores. Upstream: Quantity.MilliValue. */
export const milliValue = (quantity: QuantityLike): number => scaledValue(quantity, -3)

/** The number of 10^exponent as Go converts it to an int64 on amd64. */
const int64PowerOfTen = (exponent: number): bigint => (exponent < 19 ? powerOfTen(exponent) : -(2n ** 63n))

/** The powers of ten by which Go multiplies an int64 at once; by others step by step, until it overflows. */
const stepsAtOnce: ReadonlyArray<number> = [0, 1, 2, 3, 6, 9]

/**
 * Whether Quantity.MilliValue is a multiple of 1000, which decides what counts as an integer: it is an int64 that may
 * have overflowed, and 0 if it did so step by step. Upstream: api/resource/math.go, positiveScaleInt64 and scaledValue.
 */
export const hasWholeMilli = (quantity: QuantityLike): boolean => {
  const { big, scale, unscaled } = amountOf(quantity)
  const places = scale + 3
  if (places < 0) {
    const { quotient } = divide(unscaled, -places, big || unscaled > 0)
    return BigInt.asIntN(64, BigInt(quotient)) % 1000n === 0n
  }
  if (!big && !stepsAtOnce.includes(places)) return true
  const power = big ? int64PowerOfTen(places) : powerOfTen(places)
  return BigInt.asIntN(64, BigInt.asIntN(64, BigInt(unscaled)) * power) % 1000n === 0n
}

/** Returns the nearest floating-point number. Upstream: Quantity.AsApproximateFloat64. */
export const approximateValue = (quantity: QuantityLike): number => {
  const { scale, unscaled } = amountOf(quantity)
  return scale === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${scale}`)
}

/** Rounds away from zero to a multiple of 10^scale. `exact` says whether the quantity already was one. */
export const roundUpQuantity = (
  quantity: QuantityLike,
  scale: number
): { readonly amount: Amount; readonly exact: boolean } => {
  const amount = amountOf(quantity)
  if (amount.scale >= scale) return { amount, exact: true }
  const { exact, quotient } = divide(amount.unscaled, scale - amount.scale, amount.unscaled > 0)
  return { amount: makeAmount(quotient, scale, amount.format, amount.big), exact }
}
