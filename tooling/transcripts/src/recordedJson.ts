import { isObject, type Json } from "./Case.ts"

/**
 * Writes JSON as the recorder does, with blanks after commas and colons: masks are expressions on that text, and a server that
 * keeps what it is sent, as in a ControllerRevision, has those bytes.
 */
export const recordedJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(recordedJson).join(", ")}]`
  if (!isObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)}: ${recordedJson(part)}`)
    .join(", ")}}`
}
