import { parseExactly } from "../../exactJson.ts"
import { escapeHtml } from "../../json.ts"
import { sortedEntries } from "../../sortedEntries.ts"

/** Matches an escape of a JSON string: a surrogate pair (12 characters), a lone surrogate (6), or any other (2). */
const escapePattern =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g

const escapedPairLength = 12

/**
 * Replaces each escaped lone surrogate by U+FFFD, as Go's decoder does: a lone surrogate has no UTF-8 form, so it must
 * not be stored or returned. The length is unchanged.
 */
export const withoutLoneSurrogates = (text: string): string => {
  if (!text.includes("\\ud") && !text.includes("\\uD")) return text
  return text.replace(escapePattern, (found) =>
    found.length === 2 || found.length === escapedPairLength ? found : "\\ufffd"
  )
}

/** Whether lists and maps of the text are nested deeper than `maxDepth`. For invalid JSON the result is arbitrary. */
export const nestsDeeper = (text: string, maxDepth: number): boolean => {
  if (text.length <= maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      // A string: skipped.
      case 34:
        at = endOfString(text, at)
        break
      // "[", "{"
      case 91:
      case 123:
        if (++depth > maxDepth) return true
        break
      // "]", "}"
      case 93:
      case 125:
        depth--
    }
  }
  return false
}

/** Returns the position of the string's closing quote, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  let at = text.indexOf('"', start + 1)
  // A quote is escaped by an odd number of backslashes before it.
  while (at > 0 && text.charCodeAt(at - 1) === 92) {
    let before = at - 1
    while (text.charCodeAt(before) === 92) before--
    if ((at - before) % 2 === 1) break
    at = text.indexOf('"', at + 1)
  }
  return at < 0 ? text.length : at
}

/** Returns a JSON text as Go writes its value: without blanks, the members of objects sorted. */
export const compactJson = (text: string): string =>
  escapeHtml(
    JSON.stringify(parseExactly(text), (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(sortedEntries(value as Readonly<Record<string, unknown>>))
        : value
    )
  )
