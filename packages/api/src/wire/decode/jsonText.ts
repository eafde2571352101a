/**
 * What a JSON text needs before it is parsed, in one step for each character at most.
 */

/** An escape, a surrogate pair of two of them first. */
const escapes = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[\s\S]/g

const PAIR = 12

/**
 * The text with U+FFFD for each escaped surrogate that is not one of a pair, as Go's decoder reads them: such a half has no UTF-8, so it
 * must not get into what is stored and answered. Of the same length.
 */
export const withoutLoneSurrogates = (text: string): string => {
  if (!text.includes("\\ud") && !text.includes("\\uD")) return text
  return text.replace(escapes, (found) => (found.length === 2 || found.length === PAIR ? found : "\\ufffd"))
}

/** Whether lists and maps of the text are nested deeper than this. Of a text that is no JSON either answer may come. */
export const nestsDeeper = (text: string, most: number): boolean => {
  if (text.length <= most) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34:
        at = endOfString(text, at)
        break
      case 91:
      case 123:
        if (++depth > most) return true
        break
      case 93:
      case 125:
        depth--
    }
  }
  return false
}

/** Where the string that starts here has its closing quote, or the text's end. */
const endOfString = (text: string, start: number): number => {
  let at = text.indexOf('"', start + 1)
  // An escaped quote has an odd number of backslashes before it.
  while (at > 0 && text.charCodeAt(at - 1) === 92) {
    let before = at - 1
    while (text.charCodeAt(before) === 92) before--
    if ((at - before) % 2 === 1) break
    at = text.indexOf('"', at + 1)
  }
  return at < 0 ? text.length : at
}
