/*
 * The part of DER that certificates use. Each writer returns a whole element: tag, length, contents. Rules: ITU-T X.690,
 * RFC 5280.
 */

const length = (size: number): Buffer => {
  if (size < 0x80) return Buffer.from([size])
  const bytes: Array<number> = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

const element = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), length(body.length), body])
}

export const sequence = (...items: ReadonlyArray<Uint8Array>): Buffer => element(0x30, ...items)
export const set = (...items: ReadonlyArray<Uint8Array>): Buffer => element(0x31, ...items)
export const octetString = (bytes: Uint8Array): Buffer => element(0x04, bytes)
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text, "utf8"))
export const printableString = (text: string): Buffer => element(0x13, Buffer.from(text, "ascii"))
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]))

/** Encodes a positive integer from its big-endian bytes; a leading zero keeps it positive. */
export const integer = (bytes: Uint8Array): Buffer => {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = bytes.subarray(start)
  return element(0x02, (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits)
}

/** NULL */
export const nothing: Buffer = element(0x05)

/** Encodes whole bytes, or flags whose last `unused` bits do not count. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), bytes)

export const objectIdentifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...arcs] = dotted.split(".").map(Number)
  const base128 = (arc: number): ReadonlyArray<number> => {
    const bytes = [arc % 128]
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80)
    return bytes
  }
  return element(0x06, Buffer.from([first * 40 + second, ...arcs.flatMap(base128)]))
}

/**
 * Encodes a time such as `2026-01-02T03:04:05Z`: UTCTime until 2049, GeneralizedTime from 2050 on, as RFC 5280
 * requires.
 */
export const time = (rfc3339: string): Buffer => {
  const digits = `${rfc3339.replace(/\.\d+/, "").replace(/[^0-9]/g, "")}Z`
  return Number(digits.slice(0, 4)) < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "ascii"))
    : element(0x18, Buffer.from(digits, "ascii"))
}

/** Encodes `[n] EXPLICIT`: the tag around other elements. */
export const explicit = (tag: number, ...items: ReadonlyArray<Uint8Array>): Buffer => element(0xa0 | tag, ...items)

/** Encodes `[n] IMPLICIT`: the tag in place of a primitive element's own. */
export const implicit = (tag: number, bytes: Uint8Array): Buffer => element(0x80 | tag, bytes)

/** Returns where the contents of the element at this offset start and end. */
const extentOf = (bytes: Uint8Array, offset: number): { readonly start: number; readonly end: number } => {
  const first = bytes[offset + 1] ?? 0
  if (first < 0x80) return { start: offset + 2, end: offset + 2 + first }
  const start = offset + 2 + (first & 0x7f)
  const size = bytes.subarray(offset + 2, start).reduce((sum, byte) => sum * 256 + byte, 0)
  return { start, end: start + size }
}

/**
 * Returns the encoded subject of a certificate. A certificate that it signs must repeat it byte for byte as its issuer.
 */
export const subjectOf = (certificate: Uint8Array): Uint8Array => {
  let offset = extentOf(certificate, extentOf(certificate, 0).start).start
  // The elements before the subject: version, serial number, algorithm, issuer, validity.
  for (let before = 0; before < 5; before++) offset = extentOf(certificate, offset).end
  return certificate.subarray(offset, extentOf(certificate, offset).end)
}
