import { sortedEntries } from "../../sortedEntries.ts"
import type { ErrorList } from "../ErrorList.ts"

/** Checks one item at its path. */
export type CheckItem<A> = (errors: ErrorList, item: A, at: string) => void

/** Checks the items of a list, unless there are too many. Upstream: pkg/apis/resource/validation, validateSlice. */
export const checkList = <A>(
  errors: ErrorList,
  items: ReadonlyArray<A> | null | undefined,
  at: string,
  max: number,
  check: CheckItem<A>
): boolean => {
  if ((items?.length ?? 0) > max) {
    errors.tooMany(at, items?.length ?? 0, max)
    return false
  }
  items?.forEach((item, index) => {
    check(errors, item, `${at}[${index}]`)
  })
  return true
}

interface SetOptions<A> {
  readonly max: number
  /** Items with the same key are duplicates; errors show it, unless `shown` says otherwise. */
  readonly keyOf: (item: A) => string
  readonly shown?: (item: A) => unknown
}

/** Checks the items of a list, and then that no two are the same. Upstream: validateSet. */
export const checkSet = <A>(
  errors: ErrorList,
  items: ReadonlyArray<A> | null | undefined,
  at: string,
  { keyOf, max, shown = keyOf }: SetOptions<A>,
  check: CheckItem<A>
): void => {
  if (!checkList(errors, items, at, max, check)) return
  const keys = new Set<string>()
  items?.forEach((item, index) => {
    const key = keyOf(item)
    if (keys.has(key)) errors.duplicate(`${at}[${index}]`, shown(item))
    keys.add(key)
  })
}

const shortest = 16

/** Returns a key as paths have it: without its middle if it is long. Upstream: truncateIfTooLong. */
const shortened = (key: string, max: number): string => {
  const limit = Math.max(max, shortest)
  if (key.length <= limit) return key
  const remaining = limit - 3
  return `${key.slice(0, Math.floor((remaining + 1) / 2))}...${key.slice(key.length - Math.floor(remaining / 2))}`
}

interface MapOptions {
  readonly max?: number
  /** The longest key that paths show whole. */
  readonly maxKey: number
  readonly checkKey: CheckItem<string>
}

/** Checks the keys and values of a map, in the order of the keys. Upstream: validateMap. */
export const checkMap = <A>(
  errors: ErrorList,
  map: Readonly<Record<string, A>> | undefined,
  at: string,
  { checkKey, max, maxKey }: MapOptions,
  check: CheckItem<A>
): void => {
  const entries = sortedEntries(map ?? {})
  if (max !== undefined && entries.length > max) {
    errors.tooMany(at, entries.length, max)
    return
  }
  for (const [key, value] of entries) {
    checkKey(errors, key, at)
    check(errors, value, `${at}[${shortened(key, maxKey)}]`)
  }
}

/** Returns the names of fields as the message about a union shows them. */
export const braced = (fields: ReadonlyArray<string>): string => `{${fields.map((field) => `\`${field}\``).join(", ")}}`
