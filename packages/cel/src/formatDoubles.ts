/* Doubles as golang.org/x/text prints them in English, which `format` uses for `%f` and `%e`. */

/** A finite double of at least zero as a fraction: `digits / 10^scale`, exactly. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const bits = new DataView(new ArrayBuffer(8))

const exactly = (value: number): Decimal => {
  bits.setFloat64(0, value)
  const raw = bits.getBigUint64(0)
  const exponent = Number((raw >> 52n) & 0x7ffn)
  const fraction = raw & 0xfffffffffffffn
  const mantissa = exponent === 0 ? fraction : fraction | 0x10000000000000n
  const power = Math.max(exponent, 1) - 1075
  if (power >= 0) return { digits: mantissa << BigInt(power), scale: 0 }
  // 1 / 2^n is 5^n / 10^n.
  return { digits: mantissa * 5n ** BigInt(-power), scale: -power }
}

/** Divides by a power of ten; rounds to the nearest, and halves to even. */
const shiftedRight = (digits: bigint, places: number): bigint => {
  if (places <= 0) return digits * 10n ** BigInt(-places)
  const unit = 10n ** BigInt(places)
  const quotient = digits / unit
  const twice = (digits % unit) * 2n
  return twice > unit || (twice === unit && quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** The printer keeps a precision in one byte: a higher one shows all digits, and at least what the byte holds. */
const MAX_PRECISION = 255

const special = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞")

/** Formats with a number of digits after the point, and with commas: `-1,234.50`. */
export const fixedText = (value: number, precision: number): string => {
  if (!Number.isFinite(value)) return special(value)
  const decimal = exactly(Math.abs(value))
  const least = precision % (MAX_PRECISION + 1)
  const places = precision > MAX_PRECISION ? Math.max(least, decimal.scale) : precision
  const text = String(shiftedRight(decimal.digits, decimal.scale - places)).padStart(places + 1, "0")
  const whole = text.slice(0, text.length - places).replace(/\B(?=(?:\d{3})+$)/g, ",")
  const fraction = text.slice(text.length - places)
  const shown = precision > MAX_PRECISION ? fraction.replace(/0+$/, "").padEnd(least, "0") : fraction
  return (value < 0 ? "-" : "") + whole + (shown === "" ? "" : `.${shown}`)
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"

const exponentText = (exponent: number): string => {
  const digits = String(Math.abs(exponent)).padStart(2, "0")
  return (exponent < 0 ? "⁻" : "") + Array.from(digits, (digit) => superscripts[Number(digit)]).join("")
}

/**
 * Formats with six digits after the point and an exponent: `1.234568×10⁰³`. The precision of a clause is the width,
 * since cel-go writes it where the printer reads the width.
 */
export const scientificText = (value: number, precision: number): string => scientific(value).padStart(precision, " ")

const scientific = (value: number): string => {
  if (!Number.isFinite(value)) return special(value)
  const { digits, scale } = exactly(Math.abs(value))
  const length = String(digits).length
  let exponent = digits === 0n ? 0 : length - 1 - scale
  let shown = digits === 0n ? "0000000" : String(shiftedRight(digits, length - 7))
  if (shown.length > 7) {
    shown = shown.slice(0, 7)
    exponent++
  }
  return `${value < 0 ? "-" : ""}${shown[0]}.${shown.slice(1)}×10${exponentText(exponent)}`
}
