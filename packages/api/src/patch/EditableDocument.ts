import { isJsonLiteral, rewrittenLiteral, withLiterals } from "../exactJson.ts"
import { byteLength } from "../validation/names.ts"
import { maxDepth } from "../wire/decode/maxDepth.ts"
import { isList, isMap, type Json, type JsonList, type JsonMap, jsonEqual, member } from "./Json.ts"
import { LongList } from "./LongList.ts"
import { indexIn, insertionIndex, PointerFault } from "./Pointer.ts"

/** A value of a document that is being edited: unchanged JSON, or a map or list opened for changes. */
export type EditableValue = Json | EditableMap | EditableList
export type EditableContainer = EditableMap | EditableList

export class EditableMap {
  readonly original: JsonMap
  readonly members: Map<string, EditableValue>

  constructor(original: JsonMap) {
    this.original = original
    this.members = new Map(Object.entries(original))
  }
}

export class EditableList {
  readonly original: JsonList
  readonly items: LongList<EditableValue>

  constructor(original: JsonList) {
    this.original = original
    this.items = new LongList<EditableValue>(original)
  }
}

/**
 * Thrown when the document is nested too deeply, or the copies are too large. Unlike that of a PointerFault, its message
 * is complete.
 */
export class DocumentFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/**
 * The maximum size that all copies of a patch may add, in bytes of JSON. Upstream: apiserver/pkg/server/config.go,
 * JSONPatchMaxCopyBytes.
 */
export const maxCopiedBytes = 3 * 1024 * 1024

const isOpen = (value: EditableValue | undefined): value is EditableContainer =>
  value instanceof EditableMap || value instanceof EditableList

/**
 * A JSON document that operations change one after the other. A map or list on the path to a change is opened once, so
 * that each operation costs its own size, whatever the size of the document. `done` assembles the result, which shares
 * all unchanged values.
 */
export class EditableDocument {
  private root: EditableValue
  private copiedBytes = 0
  /** The number of members of each map that was compared: counting visits all of them. */
  private readonly sizes = new Map<JsonMap, number>()

  constructor(document: JsonMap | JsonList) {
    this.root = document
  }

  /** Replaces the whole document. */
  replace(value: JsonMap | JsonList): void {
    this.root = value
  }

  /** Returns the opened container that holds the pointer's last token; undefined when a part of the path is missing. */
  containerAt(tokens: ReadonlyArray<string>): EditableContainer | undefined {
    let container = open(this.root)
    if (container === undefined) return undefined
    this.root = container
    for (const token of tokens.slice(0, -1)) {
      const value = valueIfPresent(container, token)
      const next = open(value)
      if (next === undefined) return undefined
      if (next !== value) put(container, token, next)
      container = next
    }
    return container
  }

  /** Whether the whole document equals this value. */
  equals(value: Json): boolean {
    return this.isSame(this.root, value)
  }

  /** Whether a value of the document equals this one. */
  isSame(value: EditableValue, wanted: Json): boolean {
    if (value instanceof EditableMap) {
      return isMap(wanted) && value.members.size === this.sizeOf(wanted) && this.sameMembers(value.members, wanted)
    }
    if (value instanceof EditableList) {
      return (
        isList(wanted) &&
        value.items.length === wanted.length &&
        value.items.toArray().every((item, index) => this.isSame(item, wanted[index] as Json))
      )
    }
    if (value === wanted) return true
    if (isJsonLiteral(value)) return isJsonLiteral(wanted) && value() === wanted()
    if (isList(value)) {
      return (
        isList(wanted) &&
        value.length === wanted.length &&
        value.every((item, index) => this.isSame(item, wanted[index] as Json))
      )
    }
    if (!isMap(value) || !isMap(wanted) || this.sizeOf(value) !== this.sizeOf(wanted)) return false
    return Object.keys(wanted).every((key) => {
      const found = member(value, key)
      return found !== undefined && this.isSame(found, wanted[key] as Json)
    })
  }

  /** Returns a copy of a value as plain JSON. Throws DocumentFault when the copies exceed their limit. */
  copied(value: EditableValue): Json {
    const copy = withLiterals(close(value, 0), rewrittenLiteral) as Json
    if (isDeeperThan(copy, maxDepth)) throw tooDeep()
    this.copiedBytes += byteLength(JSON.stringify(copy))
    if (this.copiedBytes > maxCopiedBytes) {
      const added = `the accumulated size increase of copy is ${this.copiedBytes}`
      throw new DocumentFault(`Unable to complete the copy, ${added}, exceeding the limit ${maxCopiedBytes}`)
    }
    return copy
  }

  /**
   * Returns the edited document; the original when nothing changed. Throws DocumentFault when it is nested too deeply.
   */
  done(): Json {
    const document = close(this.root, 0)
    if (isDeeperThan(document, maxDepth)) throw tooDeep()
    return document
  }

  private sameMembers(members: ReadonlyMap<string, EditableValue>, wanted: JsonMap): boolean {
    return Object.keys(wanted).every((key) => {
      const found = members.get(key)
      return found !== undefined && this.isSame(found, wanted[key] as Json)
    })
  }

  private sizeOf(map: JsonMap): number {
    let size = this.sizes.get(map)
    if (size === undefined) {
      size = Object.keys(map).length
      this.sizes.set(map, size)
    }
    return size
  }
}

const tooDeep = () => new DocumentFault("exceeded max depth")

const open = (value: EditableValue | undefined): EditableContainer | undefined => {
  if (isOpen(value)) return value
  if (isList(value)) return new EditableList(value)
  return isMap(value) ? new EditableMap(value) : undefined
}

const valueIfPresent = (container: EditableContainer, key: string): EditableValue | undefined => {
  try {
    return valueAt(container, key)
  } catch (error) {
    if (error instanceof PointerFault) return undefined
    throw error
  }
}

/** Returns a member; a missing member of a map reads as null. */
export const valueAt = (container: EditableContainer, key: string): EditableValue =>
  container instanceof EditableList
    ? container.items.at(indexIn(key, container.items.length))
    : (container.members.get(key) ?? null)

/** Sets a member of a map, whether or not the map has it, or an existing element of a list. */
export const put = (container: EditableContainer, key: string, value: EditableValue): void => {
  if (container instanceof EditableList) container.items.set(indexIn(key, container.items.length), value)
  else container.members.set(key, value)
}

/** Inserts into a list; sets a member of a map. */
export const add = (container: EditableContainer, key: string, value: EditableValue): void => {
  if (container instanceof EditableList) container.items.insert(insertionIndex(key, container.items.length), value)
  else container.members.set(key, value)
}

export const remove = (container: EditableContainer, key: string): void => {
  if (container instanceof EditableList) container.items.remove(indexIn(key, container.items.length))
  else if (!container.members.delete(key)) {
    throw new PointerFault(`Unable to remove nonexistent key: ${key}: missing value`)
  }
}

const close = (value: EditableValue, depth: number): Json => {
  if (!isOpen(value)) return value
  if (depth > maxDepth) throw tooDeep()
  return value instanceof EditableMap ? closeMap(value, depth) : closeList(value, depth)
}

const closeMap = ({ members, original }: EditableMap, depth: number): JsonMap => {
  const map: Record<string, Json> = {}
  let isSame = true
  let size = 0
  for (const [key, value] of members) {
    const before = member(original, key)
    let after = close(value, depth + 1)
    // An opened container that did not change is replaced by the original.
    if (before !== undefined && after !== before && !isOpen(value) && jsonEqual(before, after)) after = before
    if (after !== before) isSame = false
    size++
    // An assignment to __proto__ would change the prototype instead of adding a member.
    if (key === "__proto__") {
      Object.defineProperty(map, key, { value: after, enumerable: true, configurable: true, writable: true })
    } else map[key] = after
  }
  return isSame && size === Object.keys(original).length ? original : map
}

const closeList = ({ items, original }: EditableList, depth: number): JsonList => {
  const list = items.toArray().map((item) => close(item, depth + 1))
  return list.length === original.length && list.every((item, index) => item === original[index]) ? original : list
}

/** Whether lists and maps are nested deeper than `depth`. */
export const isDeeperThan = (value: Json, depth: number): boolean => {
  if (isList(value)) return depth === 0 || value.some((item) => isDeeperThan(item, depth - 1))
  if (!isMap(value)) return false
  if (depth === 0) return true
  for (const key in value) if (isDeeperThan(value[key] as Json, depth - 1)) return true
  return false
}
