import { escapeHtml } from "../json.ts"
import { sortedEntries } from "../sortedEntries.ts"

/** Go's formatting of values in the API's messages: `%q` of strings, and JSON of the server's internal types. */

const short: Readonly<Record<string, string>> = {
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

const escaped = (character: string): string => {
  const known = short[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`
}

/** `%q`: in double quotes, with unprintable characters escaped. */
export const goQuote = (text: string): string => {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  const quoted = text.replace(/["\\]|[^ -~]/gu, (character) =>
    short[character] === undefined && printable.test(character) ? character : escaped(character)
  )
  return `"${quoted}"`
}

/** encoding/json: characters that could end a script in HTML are escaped. */
export const goJson = (value: unknown): string => escapeHtml(JSON.stringify(value))

/** Returns a map as encoding/json writes it: keys in order. */
export const sortedMap = <A>(map: Readonly<Record<string, A>> | undefined): Readonly<Record<string, A>> | null =>
  map === undefined ? null : Object.fromEntries(sortedEntries(map))

/** `%#v` of a list of strings. */
export const goStrings = (texts: ReadonlyArray<string>): string => `[]string{${texts.map(goQuote).join(", ")}}`
