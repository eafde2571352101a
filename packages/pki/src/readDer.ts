/*
 * Reads DER: elements with their tag and contents. A length that goes beyond the bytes is an error. Rules: ITU-T X.690.
 */

/** An element: its tag, its contents, and itself whole. */
export interface Element {
  readonly tag: number
  readonly contents: Uint8Array
  readonly whole: Uint8Array
}

/** Bytes that are not DER. */
export class DerError extends Error {}

interface Header {
  readonly tag: number
  /** Where the contents begin. */
  readonly start: number
  readonly size: number
}

/** Reads a tag and a length. Upstream: Go's encoding/asn1, parseTagAndLength. */
const headerAt = (bytes: Uint8Array, offset: number): Header => {
  const tag = bytes[offset]
  const first = bytes[offset + 1]
  if (tag === undefined || first === undefined) throw new DerError(TRUNCATED)
  const start = offset + 2
  if (first < 0x80) return { tag, start, size: first }
  const count = first & 0x7f
  if (count === 0) throw new DerError("asn1: syntax error: indefinite length found (not DER)")
  let size = 0
  for (let at = start; at < start + count; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new DerError(TRUNCATED)
    if (size >= 1 << 23) throw new DerError("asn1: structure error: length too large")
    size = size * 256 + byte
    if (size === 0) throw new DerError("asn1: structure error: superfluous leading zeros in length")
  }
  if (size < 0x80) throw new DerError("asn1: structure error: non-minimal length")
  return { tag, start: start + count, size }
}

const TRUNCATED = "asn1: syntax error: truncated tag or length"

const readAt = (bytes: Uint8Array, offset: number): Element => {
  const { size, start, tag } = headerAt(bytes, offset)
  const end = start + size
  if (end > bytes.length) throw new DerError("asn1: syntax error: data truncated")
  return { tag, contents: bytes.subarray(start, end), whole: bytes.subarray(offset, end) }
}

const SEQUENCE = 0x30

/** The parameters of a field without any, as Go prints them. */
const noParameters =
  "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}"

/** Reads bytes that are one sequence, which is the Go type `name`. */
export const sequenceOf = (bytes: Uint8Array, name: string): Element => {
  if (bytes.length === 0) throw new DerError("asn1: syntax error: sequence truncated")
  const { size, start, tag } = headerAt(bytes, 0)
  if (tag !== SEQUENCE) {
    const found = `{class:${tag >> 6} tag:${tag & 0x1f} length:${size} isCompound:${(tag & 0x20) !== 0}}`
    throw new DerError(`asn1: structure error: tags don't match (16 vs ${found}) ${noParameters} ${name} @${start}`)
  }
  if (start + size < bytes.length) throw new DerError("asn1: syntax error: trailing data")
  return readAt(bytes, 0)
}

/** Reads elements one after the other. */
export const elementsOf = (bytes: Uint8Array): ReadonlyArray<Element> => {
  const elements: Array<Element> = []
  for (let offset = 0; offset < bytes.length; ) {
    const element = readAt(bytes, offset)
    elements.push(element)
    offset += element.whole.length
  }
  return elements
}

/** Returns the elements in a sequence or a set. */
export const childrenOf = (element: Element | undefined): ReadonlyArray<Element> => {
  if (element === undefined) throw new DerError("asn1: syntax error: sequence truncated")
  return elementsOf(element.contents)
}

/** Returns an object identifier in dotted form. */
export const dottedOf = (element: Element | undefined): string => {
  if (element === undefined || element.tag !== 0x06) throw new DerError("asn1: structure error: tags don't match")
  const arcs: Array<number> = []
  let arc = 0
  for (const byte of element.contents) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)))
    else arcs.push(arc)
    arc = 0
  }
  return arcs.join(".")
}

/** Returns a string in any of the usual types. */
export const textOf = ({ contents, tag }: Element): string => {
  const bytes = Buffer.from(contents)
  if (tag === 0x1e) return Buffer.from(bytes).swap16().toString("utf16le")
  return bytes.toString(tag === 0x0c ? "utf8" : "latin1")
}
