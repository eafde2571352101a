/** Bytes that are not DER, or not of the form that is expected. */
export class DerError extends Error {}

export const syntaxError = (message: string): DerError => new DerError(`asn1: syntax error: ${message}`)
export const structureError = (message: string): DerError => new DerError(`asn1: structure error: ${message}`)

const MAX_INT32 = 2 ** 31 - 1
const MAX_DIGITS = 5

/** Reads a number of 7 bits a byte. Upstream: Go's encoding/asn1, parseBase128Int. */
export const numberAt = (bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } => {
  let value = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (at - start === MAX_DIGITS) throw structureError("base 128 integer too large")
    if (at === start && byte === 0x80) throw syntaxError("integer is not minimally encoded")
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (value > MAX_INT32) throw structureError("base 128 integer too large")
    return { value, end: at + 1 }
  }
  throw syntaxError("truncated base 128 integer")
}

/** The tag and the length of an element. */
export interface Header {
  readonly class: number
  readonly tag: number
  readonly isCompound: boolean
  /** Where the contents begin. */
  readonly start: number
  readonly size: number
}

const MANY_BYTES = 1 << 23

const sizeAt = (bytes: Uint8Array, offset: number): Pick<Header, "size" | "start"> => {
  const first = bytes[offset]
  if (first === undefined) throw syntaxError(TRUNCATED)
  const start = offset + 1
  if (first < 0x80) return { start, size: first }
  const count = first & 0x7f
  if (count === 0) throw syntaxError("indefinite length found (not DER)")
  let size = 0
  for (let at = start; at < start + count; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw syntaxError(TRUNCATED)
    if (size >= MANY_BYTES) throw structureError("length too large")
    size = size * 256 + byte
    if (size === 0) throw structureError("superfluous leading zeros in length")
  }
  if (size < 0x80) throw structureError("non-minimal length")
  return { start: start + count, size }
}

const TRUNCATED = "truncated tag or length"
/** The tag that says that another follows. */
const LONG_TAG = 0x1f

/** Reads a tag and a length. Upstream: Go's encoding/asn1, parseTagAndLength. */
export const headerAt = (bytes: Uint8Array, offset: number): Header => {
  const first = bytes[offset]
  if (first === undefined) throw syntaxError(TRUNCATED)
  const short = { value: first & LONG_TAG, end: offset + 1 }
  const { end, value: tag } = short.value === LONG_TAG ? numberAt(bytes, short.end) : short
  if (tag < LONG_TAG && short.value === LONG_TAG) throw syntaxError("non-minimal tag")
  return { class: first >> 6, tag, isCompound: (first & 0x20) !== 0, ...sizeAt(bytes, end) }
}
