import { type Json, parseAsWritten } from "./Case.ts"

/** Returns the end of the JSON value that starts at an index: its closing bracket, or the end of the line. */
const endOf = (text: string, start: number): number => {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
    if (depth === 0 && !inString && (character === "}" || character === "]" || text[at + 1] === "\n")) return at + 1
  }
  return text.length
}

/** Returns the JSON documents of a stream; undefined if it is not JSON. */
export const jsonDocuments = (text: string): ReadonlyArray<Json> | undefined => {
  const documents: Array<Json> = []
  try {
    for (let at = 0; text.slice(at).trim() !== ""; ) {
      const end = endOf(text, at + text.slice(at).search(/\S/))
      documents.push(parseAsWritten(text.slice(at, end)) as Json)
      at = end
    }
  } catch {
    return undefined
  }
  return documents
}
