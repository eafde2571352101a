import { type DerError, type Header, headerAt, structureError, syntaxError } from "./derHeader.ts"
import { checkPrimitive, primitives } from "./primitives.ts"
import type { Element } from "./readDer.ts"

/*
 * Reads DER by a type, with Go's checks and errors. Upstream: Go's encoding/asn1, Unmarshal.
 */

export type Asn1 =
  | { readonly kind: "boolean" | "bits" | "identifier" | "int" | "octets" }
  /** An element of any type, unread. */
  | { readonly kind: "raw" }
  /** An element of any type, read if it is a primitive. */
  | { readonly kind: "any" }
  | { readonly kind: "struct"; readonly name: string; readonly fields: ReadonlyArray<Asn1Field> }
  | { readonly kind: "list"; readonly name?: string; readonly items: Asn1; readonly isSet?: boolean }

export interface Asn1Field {
  readonly type: Asn1
  readonly isOptional?: boolean
  /** The number of the tag that the field has in place of its type's. */
  readonly tag?: number
}

/** An element with the fields of a struct, or the items of a list; undefined for an optional field without a value. */
export interface Asn1Value extends Element {
  readonly parts: ReadonlyArray<Asn1Value | undefined>
}

const UNIVERSAL = 0
const CONTEXT = 2
const SEQUENCE = 16
const SET = 17

interface Expected {
  readonly class: number
  readonly tag: number
  readonly isCompound: boolean
  /** The name of Go's type. */
  readonly name: string
}

/** Returns what an element of a type has to be; undefined for any. */
const expectedOf = (type: Asn1): Expected | undefined => {
  switch (type.kind) {
    case "raw":
    case "any":
      return undefined
    case "struct":
      return { class: UNIVERSAL, tag: SEQUENCE, isCompound: true, name: type.name }
    case "list":
      return { class: UNIVERSAL, tag: type.isSet ? SET : SEQUENCE, isCompound: true, name: type.name ?? "" }
    default:
      return { class: UNIVERSAL, isCompound: false, ...primitives[type.kind] }
  }
}

const matches = (header: Header, expected: Expected): boolean =>
  header.class === expected.class && header.tag === expected.tag && header.isCompound === expected.isCompound

/** The parameters of a field without any, as Go prints them. */
const noParameters =
  "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}"

const mismatch = (header: Header, { name, tag }: Expected): DerError => {
  const found = `{class:${header.class} tag:${header.tag} length:${header.size} isCompound:${header.isCompound}}`
  return structureError(`tags don't match (${tag} vs ${found}) ${noParameters} ${name} @${header.start}`)
}

interface Read {
  /** Undefined for an optional field without a value. */
  readonly value: Asn1Value | undefined
  readonly end: number
}

const readField = ({ isOptional = false, tag, type }: Asn1Field, bytes: Uint8Array, offset: number): Read => {
  const absent = { value: undefined, end: offset }
  if (offset === bytes.length) {
    if (isOptional) return absent
    throw syntaxError("sequence truncated")
  }
  const header = headerAt(bytes, offset)
  const own = expectedOf(type)
  const expected = own === undefined || tag === undefined ? own : { ...own, class: CONTEXT, tag }
  if (expected !== undefined && !matches(header, expected)) {
    if (isOptional) return absent
    throw mismatch(header, expected)
  }
  const end = header.start + header.size
  if (end > bytes.length) throw syntaxError("data truncated")
  const contents = bytes.subarray(header.start, end)
  const parts = partsOf(type, header, contents)
  return { value: { tag: bytes[offset] ?? 0, contents, whole: bytes.subarray(offset, end), parts }, end }
}

const none: Asn1Value["parts"] = []

const partsOf = (type: Asn1, header: Header, contents: Uint8Array): Asn1Value["parts"] => {
  switch (type.kind) {
    case "raw":
      return none
    case "any":
      if (header.class === UNIVERSAL && !header.isCompound) checkPrimitive(header.tag, contents)
      return none
    case "struct":
      return fieldsOf(type.fields, contents)
    case "list":
      return itemsOf(type.items, contents)
    default:
      checkPrimitive(primitives[type.kind].tag, contents)
      return none
  }
}

/** Reads the fields of a struct; further elements are allowed. */
const fieldsOf = (fields: ReadonlyArray<Asn1Field>, contents: Uint8Array): Asn1Value["parts"] => {
  let offset = 0
  return fields.map((field) => {
    const { end, value } = readField(field, contents, offset)
    offset = end
    return value
  })
}

/** Checks the tags of all items, and then reads each. */
const itemsOf = (items: Asn1, contents: Uint8Array): Asn1Value["parts"] => {
  const expected = expectedOf(items)
  const starts: Array<number> = []
  for (let offset = 0; offset < contents.length; ) {
    const header = headerAt(contents, offset)
    if (expected !== undefined && !matches(header, expected)) throw structureError("sequence tag mismatch")
    const end = header.start + header.size
    if (end > contents.length) throw syntaxError("truncated sequence")
    starts.push(offset)
    offset = end
  }
  return starts.map((start) => readField({ type: items }, contents, start).value)
}

/** Reads bytes that are one element of a type. Throws `DerError`. */
export const unmarshal = (type: Asn1, bytes: Uint8Array): Asn1Value => {
  const { end, value } = readField({ type }, bytes, 0)
  if (value === undefined) throw syntaxError("sequence truncated")
  if (end < bytes.length) throw syntaxError("trailing data")
  return value
}
