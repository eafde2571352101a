/** A JSON value. Patches operate on these; only the table in `PatchMeta.ts` knows kinds. */
export type Json = null | boolean | number | bigint | string | JsonList | JsonMap
export type JsonList = ReadonlyArray<Json>
export interface JsonMap {
  readonly [key: string]: Json
}

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: unknown): value is JsonList => Array.isArray(value)

/** Returns an own member; a key such as "constructor" never reaches the prototype. */
export const member = (map: JsonMap, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined)

/** Whether two values are equal; the order of members does not matter. */
export const jsonEqual = (left: Json, right: Json): boolean => {
  if (left === right) return true
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) {
      if (!jsonEqual(left[index] as Json, right[index] as Json)) return false
    }
    return true
  }
  if (!isMap(left) || !isMap(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys) {
    const other = member(right, key)
    if (other === undefined || !jsonEqual(left[key] as Json, other)) return false
  }
  return true
}

/**
 * So many members are deleted by a copy without them: after a `delete`, V8 keeps an object as a hash table, ten times as dear to
 * read and copy. More copies would make the cost of a large patch quadratic.
 */
const MAX_COPIES = 8

/** A copy-on-write map. Unchanged values are shared; when nothing changed, `done` returns the original. */
export class MapDraft {
  private readonly original: JsonMap
  private copy: Record<string, Json> | undefined
  private deletions = 0

  constructor(original: JsonMap) {
    this.original = original
  }

  get(key: string): Json | undefined {
    return member(this.copy ?? this.original, key)
  }

  keys(): ReadonlyArray<string> {
    return Object.keys(this.copy ?? this.original)
  }

  /** Sets a value that is compared by content: an equal value changes nothing. */
  set(key: string, value: Json): void {
    const old = this.get(key)
    if (old === undefined || !jsonEqual(old, value)) this.put(key, value)
  }

  /**
   * Sets a value that is compared by reference. For values derived from the current member, which are the same reference
   * when unchanged; this saves the comparison of `set`.
   */
  put(key: string, value: Json): void {
    if (value === this.get(key)) return
    const copy = this.writable()
    // An assignment to __proto__ would change the prototype instead of adding a member.
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true })
    else copy[key] = value
  }

  delete(key: string): void {
    if (this.get(key) === undefined) return
    this.deletions++
    if (this.deletions > MAX_COPIES) {
      delete this.writable()[key]
      return
    }
    const { [key]: _removed, ...rest } = this.copy ?? this.original
    this.copy = rest
  }

  done(): JsonMap {
    return this.copy ?? this.original
  }

  private writable(): Record<string, Json> {
    this.copy ??= { ...this.original }
    return this.copy
  }
}

/** Returns the original list when the new one holds the same values in the same order. */
export const originalIfSame = (original: JsonList, list: JsonList): JsonList => {
  if (original.length !== list.length) return list
  for (let index = 0; index < list.length; index++) {
    if (original[index] !== list[index]) return list
  }
  return original
}
