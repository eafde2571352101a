/** The notation that a quantity was written in, and is printed in. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent"

/** A parsed quantity, exactly unscaled × 10^scale. Immutable. Upstream: apimachinery/pkg/api/resource/quantity.go. */
export interface Amount {
  /** A number if it is a safe integer, otherwise a bigint: common arithmetic needs no bigint. */
  readonly unscaled: number | bigint
  readonly scale: number
  readonly format: QuantityFormat
  /**
   * Whether upstream stores the value as a big decimal, because it does not fit its fast form (64-bit integers). Big
   * decimals are rounded differently: see `scaledValue`.
   */
  readonly big: boolean
  /** The text it was parsed from, where upstream prints that instead of the canonical form. */
  readonly text: string | undefined
}

const powers: Array<bigint> = [1n]

/** Returns 10^exponent for a non-negative integer exponent. */
export const powerOfTen = (exponent: number): bigint => {
  for (let last = powers.length; last <= exponent && last < 64; last++) powers.push((powers[last - 1] ?? 1n) * 10n)
  return powers[exponent] ?? 10n ** BigInt(exponent)
}

const minInt64 = -9_223_372_036_854_775_808n
const maxInt64 = 9_223_372_036_854_775_807n
export const fitsInt64 = (value: bigint): boolean => value >= minInt64 && value <= maxInt64

/** Converts a bigint to a number if it is a safe integer. */
export const shrink = (value: bigint): number | bigint => {
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

export const makeAmount = (
  unscaled: number | bigint,
  scale: number,
  format: QuantityFormat,
  big = false,
  text: string | undefined = undefined
): Amount => ({ unscaled: typeof unscaled === "bigint" ? shrink(unscaled) : unscaled, scale, format, big, text })

/** Returns the unscaled value at a scale that is not greater than the amount's own. */
export const unscaledAt = (amount: Amount, scale: number): bigint =>
  BigInt(amount.unscaled) * powerOfTen(amount.scale - scale)

const smallPowers = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]

/** Returns what `unscaledAt` does, as a number; NaN if it is not a safe integer. */
export const smallUnscaledAt = (amount: Amount, scale: number): number => {
  if (typeof amount.unscaled !== "number") return Number.NaN
  if (amount.scale === scale) return amount.unscaled
  const scaled = amount.unscaled * (smallPowers[amount.scale - scale] ?? Number.NaN)
  return Number.isSafeInteger(scaled) ? scaled : Number.NaN
}
