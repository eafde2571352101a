import { TextEncoder } from "./runtime.ts"

/** A character of a literal, or an escape sequence, which stands for one byte. */
const escaped = /\\(?:x..|[0-7]{3}|.)|./gisu

const encoder = new TextEncoder()

/**
 * Returns the bytes of a literal. The library makes one byte of each UTF-16 unit; cel-go encodes characters in UTF-8, and
 * leaves the bytes of escape sequences as they are. Upstream: cel-go/parser/unescape.go.
 */
export const bytesOf = (source: string, units: Uint8Array): Uint8Array => {
  const quotes = /^b(?:'''|""")/i.test(source) ? 3 : 1
  const body = source.slice(1 + quotes, -quotes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ASCII characters.
  if (/^[\u0000-\u007f]*$/.test(body)) return units
  const bytes: Array<number> = []
  let at = 0
  for (const [part] of body.matchAll(escaped)) {
    const isEscape = part.length > 1 && part.startsWith("\\")
    bytes.push(...(isEscape ? units.slice(at, at + 1) : encoder.encode(part)))
    at += isEscape ? 1 : part.length
  }
  return Uint8Array.from(bytes)
}
