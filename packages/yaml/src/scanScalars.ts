import type { Cursor } from "./Cursor.ts"
import { type Token, token } from "./Token.ts"

/* Scalars: in quotes, in blocks, and plain ones. Upstream: go.yaml.in/yaml/v2, scannerc.go. */

/** The line breaks and blanks between two words of a scalar. */
class Fold {
  private blanks = ""
  private first = ""
  private others = ""
  hasBreaks = false

  /** Reads blanks and line breaks. Blanks at the begin of a line do not count. */
  read(cursor: Cursor, checkBlank: () => void): void {
    for (;;) {
      if (cursor.isBlank()) {
        checkBlank()
        if (!this.hasBreaks) this.blanks += cursor.text.charAt(cursor.at)
        cursor.skip()
      } else if (cursor.isBreak()) {
        if (this.hasBreaks) this.others += cursor.readBreak()
        else this.first = cursor.readBreak()
        this.hasBreaks = true
        this.blanks = ""
      } else return
    }
  }

  /** Returns what stands for them in the scalar, and forgets them. */
  take(): string {
    const folded = this.first === "\n" ? this.others || " " : this.first + this.others
    const text = this.hasBreaks && this.first !== "" ? folded : this.hasBreaks ? this.others : this.blanks
    this.blanks = ""
    this.first = ""
    this.others = ""
    this.hasBreaks = false
    return text
  }
}

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029"
}

const codeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
const LAST_CODE = 0x10ffff

/** Reads an escape in double quotes, which is no line break. */
const readEscape = (cursor: Cursor): string => {
  const letter = cursor.text.charAt(cursor.at + 1)
  const known = escapes[letter]
  const length = codeLengths[letter]
  if (known === undefined && length === undefined) throw cursor.fault("found unknown escape character")
  cursor.skip(2)
  if (known !== undefined) return known
  const digits = cursor.text.slice(cursor.at, cursor.at + (length ?? 0))
  if (digits.length !== length || !/^[\da-fA-F]+$/.test(digits))
    throw cursor.fault("did not find expected hexdecimal number")
  const code = Number.parseInt(digits, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > LAST_CODE)
    throw cursor.fault("found invalid Unicode character escape code")
  cursor.skip(digits.length)
  return String.fromCodePoint(code)
}

/** What a scalar in quotes has as it is: up to a gap, a quote or a backslash. */
const singleRun = /[^'\t\n\r \x85\u2028\u2029]+/y
const doubleRun = /[^"\\\t\n\r \x85\u2028\u2029]+/y

const readRun = (cursor: Cursor, run: RegExp): string => {
  run.lastIndex = cursor.at
  const [found = ""] = run.exec(cursor.text) ?? []
  cursor.skip(found.length)
  return found
}

/** Reads the next word in quotes. Returns undefined at the closing quote; `fold` notes an escaped line break. */
const readQuotedWord = (cursor: Cursor, quote: string, fold: Fold): string => {
  let word = ""
  while (!cursor.isGap()) {
    if (quote === "'") {
      if (cursor.is("'") && !cursor.is("'", 1)) return word
      if (cursor.is("'")) {
        word += "'"
        cursor.skip(2)
      } else word += readRun(cursor, singleRun)
    } else if (cursor.is('"')) return word
    else if (cursor.is("\\") && cursor.isBreak(1)) {
      cursor.skip()
      cursor.readBreak()
      fold.hasBreaks = true
      return word
    } else word += cursor.is("\\") ? readEscape(cursor) : readRun(cursor, doubleRun)
  }
  return word
}

/** Scalars in quotes, on one line and without escapes: most of them. */
const simpleSingle = /'([^'\t\n\r\x85\u2028\u2029]*)'(?!')/y
const simpleDouble = /"([^"\\\t\n\r\x85\u2028\u2029]*)"/y

/** Reads a scalar in quotes. */
export const scanQuoted = (cursor: Cursor, quote: string): Token => {
  const { line } = cursor
  const simple = quote === "'" ? simpleSingle : simpleDouble
  simple.lastIndex = cursor.at
  const [whole = "", inner = ""] = simple.exec(cursor.text) ?? []
  if (whole !== "") {
    cursor.skip(whole.length)
    return token("scalar", line, inner)
  }
  const fold = new Fold()
  const parts: Array<string> = []
  cursor.skip()
  for (;;) {
    if (cursor.isDocumentMark()) throw cursor.fault("found unexpected document indicator")
    if (cursor.isEnd()) throw cursor.fault("found unexpected end of stream")
    parts.push(readQuotedWord(cursor, quote, fold))
    if (cursor.is(quote)) break
    fold.read(cursor, () => {})
    parts.push(fold.take())
  }
  cursor.skip()
  return token("scalar", line, parts.join(""))
}

/** Reads the header of a block: what becomes of the last line breaks, and the indentation relative to the parent's. */
const readHeader = (cursor: Cursor): { readonly chomping: string; readonly increment: number } => {
  let chomping = ""
  let increment = 0
  for (let count = 0; count < 2; count++) {
    const next = cursor.text.charAt(cursor.at)
    if ((next === "+" || next === "-") && chomping === "") chomping = next
    else if (next >= "0" && next <= "9" && increment === 0) {
      if (next === "0") throw cursor.fault("found an indentation indicator equal to 0")
      increment = Number(next)
    } else break
    cursor.skip()
  }
  cursor.skipBlanks()
  cursor.skipComment()
  if (!cursor.isBreak() && !cursor.isEnd()) throw cursor.fault("did not find expected comment or line break")
  if (cursor.isBreak()) cursor.readBreak()
  return { chomping, increment }
}

/** The lines of a block: the indentation, which the first line that is not empty sets if it is 0. */
class BlockLines {
  indent: number
  private readonly cursor: Cursor
  private readonly least: number

  constructor(cursor: Cursor, indent: number, parentIndent: number) {
    this.cursor = cursor
    this.indent = indent
    this.least = Math.max(parentIndent + 1, 1)
  }

  /** Reads empty lines and the indentation of the next one. Returns the line breaks. */
  readBreaks(): string {
    const { cursor } = this
    let breaks = ""
    let widest = 0
    const isWithin = () => this.indent === 0 || cursor.column < this.indent
    for (;;) {
      while (isWithin() && cursor.is(" ")) cursor.skip()
      widest = Math.max(widest, cursor.column)
      if (isWithin() && cursor.is("\t"))
        throw cursor.fault("found a tab character where an indentation space is expected")
      if (!cursor.isBreak()) break
      breaks += cursor.readBreak()
    }
    if (this.indent === 0) this.indent = Math.max(widest, this.least)
    return breaks
  }
}

const lineRun = /[^\n\r\x85\u2028\u2029]+/y

/** Reads a block scalar. `parentIndent` is the indentation of what it is in, -1 for a document. */
export const scanBlock = (cursor: Cursor, isLiteral: boolean, parentIndent: number): Token => {
  const { line } = cursor
  cursor.skip()
  const { chomping, increment } = readHeader(cursor)
  const indent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment
  const lines = new BlockLines(cursor, indent, parentIndent)
  const parts: Array<string> = []
  let pending = ""
  let breaks = lines.readBreaks()
  let wasIndented = false
  while (cursor.column === lines.indent && !cursor.isEnd()) {
    const isIndented = cursor.isBlank()
    const isFolded = !isLiteral && !wasIndented && !isIndented && pending === "\n"
    parts.push(isFolded ? (breaks === "" ? " " : "") : pending, breaks)
    wasIndented = isIndented
    parts.push(readRun(cursor, lineRun))
    pending = cursor.isEnd() ? "" : cursor.readBreak()
    breaks = lines.readBreaks()
  }
  if (chomping !== "-") parts.push(pending)
  if (chomping === "+") parts.push(breaks)
  return token("scalar", line, parts.join(""))
}

/** What a plain scalar has as it is, outside of flow collections and within. */
const plainRun = /(?:[^:\t\n\r \x85\u2028\u2029]|:(?![\t\n\r \x85\u2028\u2029]|$))+/y
const flowRun = /(?:[^:,?[\]{}\t\n\r \x85\u2028\u2029]|:(?![\t\n\r \x85\u2028\u2029]|$))+/y

/** Reads a plain scalar. Also returns whether it ends with a line break, after which a key may follow. */
export const scanPlain = (
  cursor: Cursor,
  { indent, isFlow }: { readonly indent: number; readonly isFlow: boolean }
): { readonly scalar: Token; readonly endsLine: boolean } => {
  const { line } = cursor
  const run = isFlow ? flowRun : plainRun
  const first = readRun(cursor, run)
  if (!cursor.isBlank() && !cursor.isBreak()) {
    return { scalar: token("scalar", line, first, "", true), endsLine: false }
  }
  const least = indent + 1
  const fold = new Fold()
  const parts = [first]
  const checkBlank = () => {
    if (fold.hasBreaks && cursor.column < least && cursor.is("\t"))
      throw cursor.fault("found a tab character that violates indentation")
  }
  while (cursor.isBlank() || cursor.isBreak()) {
    fold.read(cursor, checkBlank)
    if ((!isFlow && cursor.column < least) || cursor.isDocumentMark() || cursor.is("#")) break
    const word = readRun(cursor, run)
    if (word !== "") parts.push(fold.take(), word)
  }
  return { scalar: token("scalar", line, parts.join(""), "", true), endsLine: fold.hasBreaks }
}
