const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"'
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

const escapeSequence = (character: string): string => {
  const known = shortEscapes[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  // A lone surrogate stands for a byte that is no UTF-8.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`
}

/** Formats a text as Go's `%q`: in double quotes, with unprintable characters escaped. */
export const goQuote = (text: string): string => {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const quoted = text.replace(/["\\]|[^ -~]/gu, (character) =>
    shortEscapes[character] === undefined && printable.test(character) ? character : escapeSequence(character)
  )
  return `"${quoted}"`
}
