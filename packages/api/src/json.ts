import { isRawJson } from "./exactJson.ts"
import { sortedEntries } from "./sortedEntries.ts"

/** Formats JSON with the keys of each object in order, so that equal values have equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part) && !isRawJson(part)
      ? Object.fromEntries(sortedEntries(part))
      : part
  )

/** Whether a JSON text has characters that `escapeHtml` escapes. */
export const hasHtml = (json: string): boolean => /[<>&\u2028\u2029]/.test(json)

/** Escapes the characters of a JSON text that could end a script in HTML, as Go's encoding/json does. */
export const escapeHtml = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
