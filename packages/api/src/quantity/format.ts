import { type Amount, powerOfTen, unscaledAt } from "./Amount.ts"

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]

const decimalSuffix = (exponent: number, format: "DecimalSI" | "DecimalExponent"): string => {
  if (exponent === 0) return ""
  const suffix = format === "DecimalSI" ? decimalSuffixes[exponent / 3 + 3] : undefined
  // There is no suffix above E: the exponent form keeps the value.
  return suffix ?? `e${exponent}`
}

const formatDecimal = (amount: Amount, format: "DecimalSI" | "DecimalExponent"): string => {
  let mantissa = BigInt(amount.unscaled)
  let exponent = amount.scale
  const digits = String(mantissa)
  let zeros = 0
  while (digits.charCodeAt(digits.length - 1 - zeros) === 48) zeros++
  if (zeros > 0) {
    mantissa /= powerOfTen(zeros)
    exponent += zeros
  }
  while (exponent % 3 !== 0) {
    mantissa *= 10n
    exponent--
  }
  return `${mantissa}${decimalSuffix(exponent, format)}`
}

/** Formats an integer with a binary suffix. */
const formatBinary = (value: bigint): string => {
  let mantissa = value
  let power = 0
  while (mantissa % 1024n === 0n && power < binarySuffixes.length - 1) {
    mantissa /= 1024n
    power++
  }
  return `${mantissa}${binarySuffixes[power]}`
}

/** Returns the integer value of an amount; undefined if it has a fraction. */
const wholeValue = (amount: Amount): bigint | undefined => {
  if (amount.scale >= 0) return unscaledAt(amount, 0)
  const unit = powerOfTen(-amount.scale)
  const unscaled = BigInt(amount.unscaled)
  return unscaled % unit === 0n ? unscaled / unit : undefined
}

/** Returns the canonical text of a value in its format: no fraction, and the largest suffix that leaves an integer. */
export const canonicalText = (amount: Amount): string => {
  // A bigint is never zero here: small values are numbers.
  if (amount.unscaled === 0) return "0"
  if (amount.format !== "BinarySI") return formatDecimal(amount, amount.format)
  const value = wholeValue(amount)
  // Values that no binary suffix represents exactly, and small values, are printed in decimal.
  if (value === undefined || (value > -1024n && value < 1024n)) return formatDecimal(amount, "DecimalSI")
  return formatBinary(value)
}

/** Formats the exact value as a plain decimal number, without suffix and trailing zeros: `0.0001`. */
export const decimalText = (amount: Amount): string => {
  const negative = amount.unscaled < 0
  const digits = String(amount.unscaled).replace("-", "")
  const sign = negative ? "-" : ""
  if (amount.scale >= 0) return amount.unscaled === 0 ? "0" : `${sign}${digits}${"0".repeat(amount.scale)}`
  const padded = digits.padStart(1 - amount.scale, "0")
  const fraction = padded.slice(amount.scale).replace(/0+$/, "")
  return `${sign}${padded.slice(0, amount.scale)}${fraction === "" ? "" : `.${fraction}`}`
}
