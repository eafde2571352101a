import { isJsonLiteral } from "../exactJson.ts"
import { goFloat } from "../goFloat.ts"
import { sortedEntries } from "../sortedEntries.ts"
import { goTypeOf } from "../values.ts"
import { isList, isMap, type Json } from "./Json.ts"

/** Returns Go's `%T` of a decoded value; for null, what upstream's messages print for its nil type. */
export const goType = (value: Json | undefined): string =>
  value === null || value === undefined ? "%!s(<nil>)" : goTypeOf(value)

/** Returns the name of a value's type in the errors of Go's encoding/json. */
export const jsonType = (value: Json): string => {
  if (value === null) return "null"
  if (isList(value)) return "array"
  if (isMap(value)) return "object"
  if (typeof value === "bigint" || isJsonLiteral(value)) return "number"
  return typeof value === "boolean" ? "bool" : typeof value
}

/** Formats a number as Go's `%v`: a float64 is every number that no int64 is. */
export const goNumber = (value: number | bigint): string =>
  typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : goFloat(value)

/** Formats a value as Go's `%v`, in which error messages of the patch libraries show their operands. */
export const goText = (value: Json): string => {
  if (value === null) return "<nil>"
  if (isList(value)) return `[${value.map(goText).join(" ")}]`
  if (isMap(value)) {
    return `map[${sortedEntries(value)
      .map(([key, item]) => `${key}:${goText(item)}`)
      .join(" ")}]`
  }
  return typeof value === "number" || typeof value === "bigint" ? goNumber(value) : String(value)
}

/** Formats a value as Go's `%s`, which marks what is no text: `%!s(int64=1)`. */
export const goString = (value: Json): string => (value === null ? "%!s(<nil>)" : goStringWithin(value))

const goStringWithin = (value: Json): string => {
  if (value === null) return "<nil>"
  if (isList(value)) return `[${value.map(goStringWithin).join(" ")}]`
  if (isMap(value)) {
    return `map[${sortedEntries(value)
      .map(([key, item]) => `${key}:${goStringWithin(item)}`)
      .join(" ")}]`
  }
  return typeof value === "string" ? value : `%!s(${goType(value)}=${goText(value)})`
}

/** Returns the message of strconv.Atoi for a text that is not a number. */
export const atoiError = (text: string): string => `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
