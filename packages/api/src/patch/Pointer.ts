import { atoiError } from "./goText.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, MapDraft, member } from "./Json.ts"

/**
 * JSON pointers as evanphx/json-patch reads them: indexes may be negative (from the end), a missing member of a map reads as
 * null, and the text before the first slash does not count. Upstream: gopkg.in/evanphx/json-patch.v4/patch.go.
 */
export type Container = JsonMap | JsonList

/** A member that is not there, or not a place: the operation that wanted it puts its own words around the message. */
export class PointerFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const decodeToken = (token: string): string => token.replace(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~"))

/** The tokens of a pointer; undefined when it names no member of anything. */
export const tokensOf = (path: string): ReadonlyArray<string> | undefined => {
  const tokens = path.split("/")
  return tokens.length < 2 ? undefined : tokens.slice(1).map(decodeToken)
}

const isInteger = (key: string): boolean => /^[+-]?\d+$/.test(key)

const indexIn = (key: string, length: number): number => {
  if (!isInteger(key)) throw new PointerFault(atoiError(key))
  const index = Number(key)
  if (index >= length || index < -length) {
    throw new PointerFault(`Unable to access invalid index: ${index}: invalid index referenced`)
  }
  return index < 0 ? index + length : index
}

const insertionIndex = (key: string, length: number): number => {
  if (key === "-") return length
  if (!isInteger(key)) throw new PointerFault(`value was not a proper array index: '${key}': ${atoiError(key)}`)
  return indexIn(key, length + 1)
}

const setMember = (map: JsonMap, key: string, value: Json): JsonMap => {
  const draft = new MapDraft(map)
  draft.set(key, value)
  return draft.done()
}

export const getAt = (container: Container, key: string): Json =>
  isList(container) ? (container[indexIn(key, container.length)] as Json) : (member(container, key) ?? null)

/** Inserts into a list; sets in a map. */
export const addAt = (container: Container, key: string, value: Json): Container =>
  isList(container)
    ? container.toSpliced(insertionIndex(key, container.length), 0, value)
    : setMember(container, key, value)

/** Sets, also where a map has no such member yet. */
export const setAt = (container: Container, key: string, value: Json): Container =>
  isList(container) ? container.with(indexIn(key, container.length), value) : setMember(container, key, value)

export const removeAt = (container: Container, key: string): Container => {
  if (isList(container)) return container.toSpliced(indexIn(key, container.length), 1)
  if (!Object.hasOwn(container, key)) {
    throw new PointerFault(`Unable to remove nonexistent key: ${key}: missing value`)
  }
  const draft = new MapDraft(container)
  draft.delete(key)
  return draft.done()
}

export const isContainer = (value: Json): value is Container => isMap(value) || isList(value)

/** The container that the pointer's last token is about; undefined when there is a gap on the way. */
export const containerAt = (document: Json, tokens: ReadonlyArray<string>): Container | undefined => {
  let value = document
  for (const token of tokens.slice(0, -1)) {
    if (!isContainer(value)) return undefined
    try {
      value = getAt(value, token)
    } catch (error) {
      if (error instanceof PointerFault) return undefined
      throw error
    }
  }
  return isContainer(value) ? value : undefined
}

/** The document with that container changed; everything beside the way there is shared. */
export const changeAt = (
  document: Container,
  tokens: ReadonlyArray<string>,
  change: (container: Container, key: string) => Container
): Container => {
  const [token = "", ...rest] = tokens
  if (rest.length === 0) return change(document, token)
  const child = getAt(document, token)
  return isContainer(child) ? setAt(document, token, changeAt(child, rest, change)) : document
}
