import type { Cursor } from "./Cursor.ts"
import { type Token, token } from "./Token.ts"

/* Anchors, aliases, tags and directives. Upstream: go.yaml.in/yaml/v2, scannerc.go. */

const NAME = /[\w-]*/y
const URI = /[\w\-;/?:@&=+$,.!~*'()[\]]*/y
const OCTET = /%[\da-fA-F]{2}/y

const readWith = (cursor: Cursor, pattern: RegExp): string => {
  pattern.lastIndex = cursor.at
  const [found = ""] = pattern.exec(cursor.text) ?? []
  cursor.skip(found.length)
  return found
}

/** The characters that may follow an anchor, besides a gap. */
const AFTER_ANCHOR = "?:,]}%@`"

/** Reads an anchor or an alias. */
export const scanAnchor = (cursor: Cursor, type: "anchor" | "alias"): Token => {
  const { line } = cursor
  cursor.skip()
  const name = readWith(cursor, NAME)
  const isOver = cursor.isGap() || AFTER_ANCHOR.includes(cursor.text.charAt(cursor.at))
  if (name === "" || !isOver) throw cursor.fault("did not find expected alphabetic or numeric character")
  return token(type, line, name)
}

/** Reads the handle of a tag: `!`, `!!` or `!name!`; in a tag without a second mark, `!name`. */
const readHandle = (cursor: Cursor, isDirective: boolean): string => {
  if (!cursor.is("!")) throw cursor.fault("did not find expected '!'")
  cursor.skip()
  const name = readWith(cursor, NAME)
  if (cursor.is("!")) {
    cursor.skip()
    return `!${name}!`
  }
  if (isDirective && name !== "") throw cursor.fault("did not find expected '!'")
  return `!${name}`
}

/** Returns how many octets a character has that begins with this one; 0 if none does. */
const widthOf = (octet: number): number => {
  if ((octet & 0x80) === 0) return 1
  if ((octet & 0xe0) === 0xc0) return 2
  if ((octet & 0xf0) === 0xe0) return 3
  return (octet & 0xf8) === 0xf0 ? 4 : 0
}

/** Reads a character whose octets are escaped. */
const readEscapes = (cursor: Cursor): string => {
  const octets: Array<number> = []
  do {
    const octetText = readWith(cursor, OCTET)
    if (octetText === "") throw cursor.fault("did not find URI escaped octet")
    const octet = Number.parseInt(octetText.slice(1), 16)
    if (octets.length === 0 && widthOf(octet) === 0) throw cursor.fault("found an incorrect leading UTF-8 octet")
    if (octets.length > 0 && (octet & 0xc0) !== 0x80) throw cursor.fault("found an incorrect trailing UTF-8 octet")
    octets.push(octet)
  } while (octets.length < widthOf(octets[0] ?? 0))
  return Buffer.from(octets).toString()
}

/** Reads the rest of a tag, after `head`. */
const readUri = (cursor: Cursor, head = ""): string => {
  let uri = head.slice(1)
  const start = cursor.at
  for (;;) {
    uri += readWith(cursor, URI)
    if (!cursor.is("%")) break
    uri += readEscapes(cursor)
  }
  if (cursor.at === start && head === "") throw cursor.fault("did not find expected tag URI")
  return uri
}

/** Reads a tag. Its handle is empty if the tag is whole. */
export const scanTag = (cursor: Cursor): Token => {
  const { line } = cursor
  let handle = ""
  let suffix: string
  if (cursor.is("<", 1)) {
    cursor.skip(2)
    suffix = readUri(cursor)
    if (!cursor.is(">")) throw cursor.fault("did not find the expected '>'")
    cursor.skip()
  } else {
    handle = readHandle(cursor, false)
    const isNamed = handle.length > 1 && handle.endsWith("!")
    suffix = readUri(cursor, isNamed ? "" : handle)
    if (!isNamed) {
      handle = suffix === "" ? "" : "!"
      if (suffix === "") suffix = "!"
    }
  }
  if (!cursor.isGap()) throw cursor.fault("did not find expected whitespace or line break")
  return token("tag", line, handle, suffix)
}

/** The maximum number of digits of a version. */
const MAX_DIGITS = 2

const readNumber = (cursor: Cursor): number => {
  let digits = ""
  for (let next = cursor.text.charAt(cursor.at); next >= "0" && next <= "9"; next = cursor.text.charAt(cursor.at)) {
    digits += next
    if (digits.length > MAX_DIGITS) throw cursor.fault("found extremely long version number")
    cursor.skip()
  }
  if (digits === "") throw cursor.fault("did not find expected version number")
  return Number(digits)
}

const readVersion = (cursor: Cursor, line: number): Token => {
  cursor.skipBlanks()
  const major = readNumber(cursor)
  if (!cursor.is(".")) throw cursor.fault("did not find expected digit or '.' character")
  cursor.skip()
  return token("version", line, `${major}.${readNumber(cursor)}`)
}

const readTagDirective = (cursor: Cursor, line: number): Token => {
  cursor.skipBlanks()
  const handle = readHandle(cursor, true)
  if (!cursor.isBlank()) throw cursor.fault("did not find expected whitespace")
  cursor.skipBlanks()
  const prefix = readUri(cursor)
  if (!cursor.isGap()) throw cursor.fault("did not find expected whitespace or line break")
  return token("tagDirective", line, handle, prefix)
}

/** Reads a directive with its line. */
export const scanDirective = (cursor: Cursor): Token => {
  const { line } = cursor
  cursor.skip()
  const name = readWith(cursor, NAME)
  if (name === "") throw cursor.fault("could not find expected directive name")
  if (!cursor.isGap()) throw cursor.fault("found unexpected non-alphabetical character")
  if (name !== "YAML" && name !== "TAG") throw cursor.fault("found unknown directive name")
  const directive = name === "YAML" ? readVersion(cursor, line) : readTagDirective(cursor, line)
  cursor.skipBlanks()
  cursor.skipComment()
  if (!cursor.isBreak() && !cursor.isEnd()) throw cursor.fault("did not find expected comment or line break")
  if (cursor.isBreak()) cursor.readBreak()
  return directive
}
