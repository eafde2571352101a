/** Go's duration format. Upstream: Go's time.ParseDuration and Duration.String; metav1.Duration. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000
}

const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y

/**
 * Parses a Go duration (`1h30m`, `1.5s`, `-300ms`, `0`) to milliseconds; a number is taken as seconds. Returns NaN for any
 * other text.
 */
export const parseDuration = (value: string | number): number => {
  if (typeof value === "number") return value * 1000
  const sign = value.startsWith("-") ? -1 : 1
  const text = value.startsWith("-") || value.startsWith("+") ? value.slice(1) : value
  if (text === "0") return 0
  if (text === "") return Number.NaN
  let total = 0
  part.lastIndex = 0
  for (let at = 0; at < text.length; at = part.lastIndex) {
    const match = part.exec(text)
    if (match === null) return Number.NaN
    const digits = `${match[1] ?? ""}.${match[2] ?? ""}`
    if (digits === ".") return Number.NaN
    total += Number(digits) * (unitMs[match[3] ?? ""] ?? Number.NaN)
  }
  return sign * total
}

/** Quotes a text as Go's time package does, which shows the bytes of what is no ASCII. */
const quote = (text: string): string =>
  `"${text.replace(/["\\]|[^ -\x7f]/gu, (character) => {
    if (character === '"' || character === "\\") return `\\${character}`
    const code = character.charCodeAt(0)
    // A lone surrogate stands for a byte that is no UTF-8.
    if (character.length === 1 && code >= 0xdc00 && code <= 0xdfff) return `\\x${(code - 0xdc00).toString(16)}`
    return encodeURIComponent(character.toWellFormed()).replaceAll("%", "\\x").toLowerCase()
  })}"`

/** Returns Go's error for an invalid duration: about the first part without a unit, or with an unknown one. */
export const durationFault = (text: string): string => {
  const quoted = quote(text)
  for (const [, , unit = ""] of text.replace(/^[+-]/, "").matchAll(/(\d+\.?\d*|\.\d+)([^\d.]*)/gy)) {
    if (unit === "") return `time: missing unit in duration ${quoted}`
    if (unitMs[unit] === undefined) return `time: unknown unit ${quote(unit)} in duration ${quoted}`
  }
  return `time: invalid duration ${quoted}`
}

/** Formats value / unit without trailing zeros: (1500, 1000) is `1.5`. Both are whole numbers. */
const fraction = (value: number, unit: number): string => {
  const whole = Math.floor(value / unit)
  const rest = value % unit
  if (rest === 0) return String(whole)
  const digits = String(unit + rest).slice(1)
  return `${whole}.${digits.replace(/0+$/, "")}`
}

/** Formats milliseconds as Go prints a duration: `1h30m0s`, `1.5s`, `300ms`, `0s`. Exact to the nanosecond. */
export const formatDuration = (ms: number): string => {
  const sign = ms < 0 ? "-" : ""
  const nanos = Math.round(Math.abs(ms) * 1e6)
  if (nanos === 0) return "0s"
  if (nanos < 1000) return `${sign}${nanos}ns`
  if (nanos < 1_000_000) return `${sign}${fraction(nanos, 1000)}µs`
  if (nanos < 1_000_000_000) return `${sign}${fraction(nanos, 1_000_000)}ms`
  const hours = Math.floor(nanos / 3.6e12)
  const minutes = Math.floor((nanos % 3.6e12) / 6e10)
  const seconds = fraction(nanos % 6e10, 1e9)
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`
}
