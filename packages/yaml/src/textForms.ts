import { resolvePlain, timestamp } from "./scalars.ts"

/*
 * The forms in which goyaml writes a text: plain, in quotes, or as a literal block. Upstream: go.yaml.in/yaml/v2,
 * encode.go (stringv) and emitterc.go (yaml_emitter_analyze_scalar and the writers of scalars).
 */

/** The column after which goyaml breaks a line at the next space. */
const BEST_WIDTH = 80
const INDENT = "  "

/** Texts that need no quotes in any context, unless they would be read as another value (`yes`, `1e3`). */
const alwaysPlain = /^[A-Za-z_/](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_./-])?$/

const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
/** Line breaks of Unicode, which stay as they are in single quotes, unless a space is next to them. */
const unicodeBreak = /[\u2028\u2029]/
const breakBesideSpace = / [\u2028\u2029]|[\u2028\u2029] /
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
/** Beginnings, and pairs of characters, that a parser would take for syntax. */
const syntax = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n]|$))|:(?:[ \t\n]|$)|[ \t\n]#/

/** Whether goyaml would read the text as another value than itself. */
const isOtherValue = (text: string): boolean =>
  typeof resolvePlain(text) !== "string" || timestamp.test(text) || sexagesimal.test(text)

/** Where a text is written: the column of its first character, the indentation of its lines, and whether it is a key. */
export interface TextPlace {
  readonly column: number
  readonly indent: string
  readonly isKey: boolean
}

/** Returns the text in the form that goyaml chooses for it at this place. */
export const formatText = (text: string, place: TextPlace): string => {
  const isShort = place.column + text.length <= BEST_WIDTH
  if (isShort && alwaysPlain.test(text) && !isOtherValue(text)) return text
  // A line break next to a space, or a character that cannot be printed, needs escapes.
  const isSpecial = unprintable.test(text) || / \n/.test(text)
  if (text.includes("\n")) {
    return place.isKey || isSpecial || text.endsWith(" ") ? inDoubleQuotes(text, place) : literal(text, place)
  }
  if (isOtherValue(text) || isSpecial || breakBesideSpace.test(text)) return inDoubleQuotes(text, place)
  if (unicodeBreak.test(text)) return brokenInQuotes(text, place)
  const isPlain = !syntax.test(text) && !text.startsWith(" ") && !text.endsWith(" ")
  return isPlain ? folded(text, place, "") : folded(text, place, "'")
}

/** Returns the text in single quotes; what follows a line break of its own is indented. */
const brokenInQuotes = (text: string, { indent }: TextPlace): string =>
  `'${text.replaceAll("'", "''").replace(/[\u2028\u2029]+(?=[^\u2028\u2029])/g, (breaks) => breaks + indent + INDENT)}'`

/** Returns the text plain or in single quotes, with line breaks instead of single spaces beyond the best width. */
const folded = (text: string, { column, indent, isKey }: TextPlace, quote: "" | "'"): string => {
  const escaped = quote === "" ? text : text.replaceAll("'", "''")
  if (isKey || column + escaped.length + quote.length <= BEST_WIDTH) return `${quote}${escaped}${quote}`
  let out = quote
  let at = column + quote.length
  let wasSpace = false
  const characters = [...escaped]
  for (const [index, character] of characters.entries()) {
    const isSpace = character === " "
    const breaks = isSpace && !wasSpace && at > BEST_WIDTH && index > 0 && characters[index + 1] !== " "
    if (breaks && index < characters.length - 1) {
      out += `\n${indent}${INDENT}`
      at = indent.length + INDENT.length
    } else {
      out += character
      at++
    }
    wasSpace = isSpace
  }
  return `${out}${quote}`
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\xa0": "_",
  "\u2028": "L",
  "\u2029": "P"
}

/** Returns a character with a backslash, by name or by number. */
const escaped = (character: string): string => {
  const known = escapes[character]
  if (known !== undefined) return `\\${known}`
  const code = character.codePointAt(0) ?? 0
  const [letter, length] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8]
  return `\\${letter}${code.toString(16).toUpperCase().padStart(Number(length), "0")}`
}

const inDoubleQuotes = (text: string, { column, indent, isKey }: TextPlace): string => {
  const characters = [...text]
  let out = '"'
  let at = column + 1
  let wasSpace = false
  for (const [index, character] of characters.entries()) {
    const isInner = index > 0 && index < characters.length - 1
    if (character === " " && !isKey && !wasSpace && at > BEST_WIDTH && isInner) {
      out += `\n${indent}${INDENT}${characters[index + 1] === " " ? "\\" : ""}`
      at = indent.length + INDENT.length
    } else {
      const written =
        character === '"' || character === "\\" || /[\n\u2028\u2029]/.test(character) || unprintable.test(character)
          ? escaped(character)
          : character
      out += written
      at += written.length
    }
    wasSpace = character === " "
  }
  return `${out}"`
}

/** Returns the text as a block of its lines. */
const literal = (text: string, { indent }: TextPlace): string => {
  const hint = /^[ \n]/.test(text) ? "2" : ""
  const chomping = !text.endsWith("\n") ? "-" : text === "\n" || text.endsWith("\n\n") ? "+" : ""
  const lines = text.replace(/\n$/, "").split("\n")
  return `|${hint}${chomping}\n${lines.map((line) => (line === "" ? "" : `${indent}${INDENT}${line}`)).join("\n")}`
}
