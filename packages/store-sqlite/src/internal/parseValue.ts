/** Integers of fewer digits are exact as numbers. */
const MANY_DIGITS = 16

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** Whether the text has a run of many digits. It looks at every sixteenth character, since each such run has one. */
const hasManyDigits = (text: string): boolean => {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isDigit(text, at)) continue
    let [start, end] = [at, at + 1]
    while (isDigit(text, start - 1)) start--
    while (isDigit(text, end)) end++
    if (end - start >= MANY_DIGITS) return true
  }
  return false
}
const int64 = /^-?\d{16,19}$/

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

const revive: Reviver = (_, value, { source = "" }) => {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !int64.test(source)) return value
  const whole = BigInt(source)
  return BigInt.asIntN(64, whole) === whole ? whole : value
}

/** Parses a stored value. An integer that a number cannot hold is a bigint, as it was before it was written. */
export const parseValue = (text: string): unknown =>
  hasManyDigits(text) ? JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)
