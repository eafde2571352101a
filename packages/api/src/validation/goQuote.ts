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

const asEscaped = (code: number): string => {
  const known = shortEscapes[String.fromCodePoint(code)]
  if (known !== undefined) return known
  // A lone surrogate stands for a byte that is no UTF-8.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`
}

/** The escape sequences of ASCII and of bytes that are no UTF-8. */
const escapedAscii = Array.from({ length: 0x80 }, (_, code) => asEscaped(code))
const escapedBytes = Array.from({ length: 0x80 }, (_, byte) => asEscaped(0xdc80 + byte))

const escapeSequence = (code: number): string =>
  escapedAscii[code] ?? (code >= 0xdc80 && code <= 0xdcff ? escapedBytes[code - 0xdc80] : undefined) ?? asEscaped(code)

/** Whether a character outside of ASCII is printable: 0 if that is not known yet, 1 if it is, 2 if it is not. */
const printables = new Uint8Array(0x11_00_00)

const isPrintable = (code: number): boolean => {
  if (printables[code] === 0) printables[code] = printable.test(String.fromCodePoint(code)) ? 1 : 2
  return printables[code] === 1
}

const isPlain = (code: number): boolean =>
  code < 0x80 ? code >= 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c : isPrintable(code)

/** The code units that are made into text at once; a character has at most ten. */
const CHUNK = 8192
const MAX_ESCAPED = 10

/** Quotes in chunks of code units: a text of megabytes of which each character is escaped would be as many pieces. */
const quoteInChunks = (text: string): string => {
  const units = new Uint16Array(CHUNK)
  const chunks = ['"']
  let length = 0
  const flush = (): void => {
    chunks.push(String.fromCharCode.apply(null, units.subarray(0, length) as unknown as Array<number>))
    length = 0
  }
  for (let at = 0; at < text.length; at++) {
    if (length > CHUNK - MAX_ESCAPED) flush()
    const code = text.codePointAt(at) ?? 0
    const isPair = code > 0xffff
    if (isPlain(code)) {
      units[length++] = text.charCodeAt(at)
      if (isPair) units[length++] = text.charCodeAt(at + 1)
    } else {
      const escaped = escapeSequence(code)
      for (let index = 0; index < escaped.length; index++) units[length++] = escaped.charCodeAt(index)
    }
    if (isPair) at++
  }
  flush()
  return `${chunks.join("")}"`
}

/** Formats a text as Go's `%q`: in double quotes, with unprintable characters escaped. */
export const goQuote = (text: string): string => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : quoteInChunks(text))
