/** Beyond so many characters together each warning is cut. Upstream: apiserver/pkg/endpoints/filters/warning.go. */
const MAX_TOTAL = 4 * 1024
const MAX_EACH = 256

/**
 * `Warning` headers of these texts, each once: `299 - "text"`. Where they are longer than 4,096 characters together each is cut to
 * 256, and once those are 4,096 the rest is left out. One with control characters has no header.
 * Upstream: apiserver/pkg/endpoints/filters/warning.go; apimachinery/pkg/util/net, NewWarningHeader.
 */
export const warningHeaders = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const distinct = [...new Set(texts)].filter((text) => text !== "" && !CONTROL.test(text))
  const lengths: Array<number> = []
  let whole = 0
  for (const text of distinct) {
    // What would be cut off anyway need not be counted.
    lengths.push(text.length > 2 * MAX_TOTAL ? MAX_TOTAL + 1 : [...text].length)
    whole += lengths.at(-1) as number
    if (whole > MAX_TOTAL) break
  }
  if (whole <= MAX_TOTAL) return distinct.map(headerOf)
  const headers: Array<string> = []
  let characters = 0
  for (const [index, text] of distinct.entries()) {
    // Those that came before it was too much are all told again.
    if (index >= lengths.length && characters >= MAX_TOTAL) break
    const shown = [...text.slice(0, 2 * MAX_EACH)].slice(0, MAX_EACH)
    characters += shown.length
    headers.push(headerOf(shown.join("")))
  }
  return headers
}

const headerOf = (text: string): string => `299 - "${inBytes(text.replaceAll("\\", "\\\\").replaceAll('"', '\\"'))}"`

/** A header carries bytes: each becomes a character of its own. */
const inBytes = (text: string): string => Buffer.from(text).toString("latin1")

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
