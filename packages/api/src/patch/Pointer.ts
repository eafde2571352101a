import { atoiError } from "./goText.ts"

/**
 * JSON pointers as evanphx/json-patch reads them: indexes may be negative (from the end), a missing member of a map
 * reads as null, and the text before the first slash is ignored. Upstream: gopkg.in/evanphx/json-patch.v4/patch.go.
 */
/** A pointer leads to a missing member or an invalid index. The operation prefixes the message with its own. */
export class PointerFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const decodeToken = (token: string): string => token.replace(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~"))

/** Splits a pointer into tokens; undefined when it points to no member. */
export const tokensOf = (path: string): ReadonlyArray<string> | undefined => {
  const tokens = path.split("/")
  return tokens.length < 2 ? undefined : tokens.slice(1).map(decodeToken)
}

const isInteger = (key: string): boolean => /^[+-]?\d+$/.test(key)

/** Converts an array index; negative ones count from the end. */
export const indexIn = (key: string, length: number): number => {
  if (!isInteger(key)) throw new PointerFault(atoiError(key))
  const index = Number(key)
  if (index >= length || index < -length) {
    throw new PointerFault(`Unable to access invalid index: ${index}: invalid index referenced`)
  }
  return index < 0 ? index + length : index
}

/** As `indexIn`, for an insertion position; `-` is the end. */
export const insertionIndex = (key: string, length: number): number => {
  if (key === "-") return length
  if (!isInteger(key)) throw new PointerFault(`value was not a proper array index: '${key}': ${atoiError(key)}`)
  return indexIn(key, length + 1)
}
