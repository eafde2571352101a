import { DerError, headerAt, syntaxError } from "./derHeader.ts"

/*
 * Reads DER: elements with their tag and contents. A length that goes beyond the bytes is an error. Rules: ITU-T X.690.
 */

/** An element: its tag, its contents, and itself whole. */
export interface Element {
  readonly tag: number
  readonly contents: Uint8Array
  readonly whole: Uint8Array
}

const readAt = (bytes: Uint8Array, offset: number): Element => {
  const { size, start } = headerAt(bytes, offset)
  const end = start + size
  if (end > bytes.length) throw syntaxError("data truncated")
  return { tag: bytes[offset] ?? 0, contents: bytes.subarray(start, end), whole: bytes.subarray(offset, end) }
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
  if (element === undefined) throw syntaxError("sequence truncated")
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
