import { isUtf8 } from "node:buffer"
import { DerError, numberAt, structureError, syntaxError } from "./derHeader.ts"

/** The tags of primitive types, and the names of the Go types that hold them. */
export const primitives = {
  boolean: { tag: 1, name: "bool" },
  int: { tag: 2, name: "int" },
  bits: { tag: 3, name: "BitString" },
  octets: { tag: 4, name: "" },
  identifier: { tag: 6, name: "ObjectIdentifier" }
} as const

const checkBoolean = (bytes: Uint8Array): void => {
  if (bytes.length !== 1 || (bytes[0] !== 0 && bytes[0] !== 0xff)) throw syntaxError("invalid boolean")
}

const MAX_INTEGER_BYTES = 8

const checkInteger = (bytes: Uint8Array): void => {
  const [first, second] = bytes
  if (first === undefined) throw structureError("empty integer")
  const isLong = second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))
  if (isLong) throw structureError("integer not minimally-encoded")
  if (bytes.length > MAX_INTEGER_BYTES) throw structureError("integer too large")
}

const checkBits = (bytes: Uint8Array): void => {
  const padding = bytes[0]
  if (padding === undefined) throw syntaxError("zero length BIT STRING")
  const isPadded = padding <= 7 && (bytes.length > 1 || padding === 0)
  if (!isPadded || ((bytes.at(-1) ?? 0) & ((1 << padding) - 1)) !== 0)
    throw syntaxError("invalid padding bits in BIT STRING")
}

const checkIdentifier = (bytes: Uint8Array): void => {
  if (bytes.length === 0) throw syntaxError("zero length OBJECT IDENTIFIER")
  for (let at = 0; at < bytes.length; ) at = numberAt(bytes, at).end
}

/** Returns the check that all bytes are of a type of text. */
const eachByte =
  (type: string, isAllowed: RegExp) =>
  (bytes: Uint8Array): void => {
    if (!isAllowed.test(Buffer.from(bytes).toString("latin1"))) throw syntaxError(`${type} contains invalid character`)
  }

const checkUtf8 = (bytes: Uint8Array): void => {
  if (!isUtf8(bytes)) throw new DerError("asn1: invalid UTF-8 string")
}

/** Whether a UTF-16 unit is a surrogate, or no character for good. */
const isReserved = (unit: number): boolean =>
  unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff)

/** Whether bytes are a text of two bytes a character. */
export const isTwoByteText = (bytes: Uint8Array): boolean => {
  if (bytes.length % 2 !== 0) return false
  for (let at = 0; at < bytes.length; at += 2) {
    if (isReserved((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0))) return false
  }
  return true
}

const checkTwoByteText = (bytes: Uint8Array): void => {
  if (!isTwoByteText(bytes)) throw new DerError("invalid BMPString")
}

/** The checks of the contents of a primitive element, by its tag. */
const checks: Readonly<Record<number, (bytes: Uint8Array) => void>> = {
  [primitives.boolean.tag]: checkBoolean,
  [primitives.int.tag]: checkInteger,
  [primitives.bits.tag]: checkBits,
  [primitives.identifier.tag]: checkIdentifier,
  12: checkUtf8,
  18: eachByte("NumericString", /^[\d ]*$/),
  19: eachByte("PrintableString", /^[A-Za-z0-9 '()+,\-./:=?*&]*$/),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII.
  22: eachByte("IA5String", /^[\x00-\x7f]*$/),
  30: checkTwoByteText
}

/** Checks the contents of a primitive element by its tag. Throws `DerError`. */
export const checkPrimitive = (tag: number, bytes: Uint8Array): void => checks[tag]?.(bytes)
