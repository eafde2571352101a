import { escapeHtml } from "../json.ts"
import { sortedEntries } from "../sortedEntries.ts"

const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"'
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

const escapeSequence = (character: string): string => {
  const known = shortEscapes[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`
}

/** Formats a text as Go's `%q`: in double quotes, with unprintable characters escaped. */
export const goQuote = (text: string): string => {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const quoted = text.replace(/["\\]|[^ -~]/gu, (character) =>
    shortEscapes[character] === undefined && printable.test(character) ? character : escapeSequence(character)
  )
  return `"${quoted}"`
}

/** Formats a value as Go's encoding/json, which escapes characters that could end a script in HTML. */
export const goJson = (value: unknown): string => escapeHtml(JSON.stringify(value))

/** Returns a map with sorted keys, as Go's encoding/json writes it; null if there is none. */
export const sortedMap = <A>(map: Readonly<Record<string, A>> | undefined): Readonly<Record<string, A>> | null =>
  map === undefined ? null : Object.fromEntries(sortedEntries(map))

/** Formats a list of strings as Go's `%#v`: `[]string{"a", "b"}`. */
export const goStrings = (texts: ReadonlyArray<string>): string => `[]string{${texts.map(goQuote).join(", ")}}`
