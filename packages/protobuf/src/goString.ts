/** A sequence of bytes, one a character, that is one character of UTF-8, or a byte that is none. */
const utf8 =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g

/** The low surrogates that stand for bytes, which no UTF-8 has. */
const BYTES = 0xdc00

/** What Node has in place of bytes that are no UTF-8. */
const REPLACEMENT = "\ufffd"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

const withBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(utf8, (found) =>
      found.length === 1
        ? String.fromCharCode(BYTES + found.charCodeAt(0))
        : Buffer.from(found, "latin1").toString("utf8")
    )

/**
 * Returns bytes as a string of Go, which has them all: one that is no UTF-8 is a lone surrogate, U+DC80 to U+DCFF, which
 * `goQuote` prints as that byte. JSON has U+FFFD in its place.
 */
export const goString = (bytes: Uint8Array): string => {
  const text = textOf(bytes)
  return text.includes(REPLACEMENT) ? withBytes(bytes) : text
}

/** A byte that is no UTF-8, as `goString` has it. */
const strayByte = /[\udc80-\udcff]/u

/** Reads the texts of a message as `goString` does, and remembers whether any has a byte that is no UTF-8. */
export class TextReader {
  hasStrayBytes = false

  read(bytes: Uint8Array): string {
    const text = textOf(bytes)
    if (!text.includes(REPLACEMENT)) return text
    const whole = withBytes(bytes)
    this.hasStrayBytes ||= strayByte.test(whole)
    return whole
  }
}
