const int64 = /^[+-]?\d+$/
const maxInt64Digits = 19
const minInt64 = -9_223_372_036_854_775_808n
const maxInt64 = 9_223_372_036_854_775_807n

/** Parses a 64-bit integer as Go's strconv.ParseInt does in base 10. Returns undefined for an invalid text. */
export const parseInt64 = (text: string): bigint | undefined => {
  if (!int64.test(text)) return undefined
  // Numbers with more digits than an int64 are rejected before BigInt parses them.
  if (text.length > maxInt64Digits && text.replace(/^[+-]?0*/, "").length > maxInt64Digits) return undefined
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text)
  return value >= minInt64 && value <= maxInt64 ? value : undefined
}
