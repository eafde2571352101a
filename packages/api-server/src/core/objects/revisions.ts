import { goQuote } from "@rollcall/api"

/** Returns the error of Go's parser for a resourceVersion that is not a 64-bit number; undefined if it is one, or empty. */
export const revisionFault = (text: string): string | undefined => {
  if (text === "") return undefined
  const error = `strconv.ParseUint: parsing ${goQuote(text)}`
  if (!/^\d+$/.test(text)) return `${error}: invalid syntax`
  return text.length < MAX_DIGITS || BigInt(text) < 2n ** 64n ? undefined : `${error}: value out of range`
}

/** Numbers with fewer digits fit into 64 bits. */
const MAX_DIGITS = 20

/** Parses a resourceVersion parameter. Returns undefined if it is absent or empty, and NaN if it is invalid. */
export const revisionOf = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined
  return revisionFault(text) === undefined ? Number(text) : Number.NaN
}

/** Returns the message for an invalid resourceVersion parameter. */
export const invalidRevisionMessage = (text: string): string =>
  `resourceVersion: Invalid value: ${goQuote(text)}: ${revisionFault(text)}`
