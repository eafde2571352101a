import { atoiError } from "./goText.ts"

/*
 * JSON pointers as evanphx/json-patch reads them: indexes may be negative (from the end), a missing member of a map
 * reads as null, and the text before the first slash is ignored. Upstream: gopkg.in/evanphx/json-patch.v4/patch.go.
 */

/** Thrown when a pointer leads to a missing member or an invalid index. The operation prefixes the message. */
export class PointerFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const decodeToken = (token: string): string => token.replace(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~"))

/** Splits a pointer into its unescaped tokens. Returns undefined for a pointer without a slash: the whole document. */
export const tokensOf = (path: string): ReadonlyArray<string> | undefined => {
  const tokens = path.split("/")
  return tokens.length < 2 ? undefined : tokens.slice(1).map(decodeToken)
}

const isInteger = (key: string): boolean => /^[+-]?\d+$/.test(key)

/** Returns the index that a token means in a list of this length. Throws PointerFault if the list has no such element. */
export const indexIn = (key: string, length: number): number => {
  if (!isInteger(key)) throw new PointerFault(atoiError(key))
  const index = Number(key)
  if (index >= length || index < -length) {
    throw new PointerFault(`Unable to access invalid index: ${index}: invalid index referenced`)
  }
  return index < 0 ? index + length : index
}

/** Returns the index at which `add` inserts; `-` is the end of the list. Throws PointerFault for an invalid index. */
export const insertionIndex = (key: string, length: number): number => {
  if (key === "-") return length
  if (!isInteger(key)) throw new PointerFault(`value was not a proper array index: '${key}': ${atoiError(key)}`)
  return indexIn(key, length + 1)
}
