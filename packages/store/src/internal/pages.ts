import { endOfPrefix } from "../SortedKeys.ts"
import type { Change, Entry, RangeOptions, RangePage, Revision } from "../Store.ts"
import { type History, keyOfChange } from "./History.ts"
import type { MemoryState } from "./MemoryState.ts"

/** Returns the smallest key that may be on the page. */
export const lowerBoundOf = (prefix: string, after: string | undefined): string =>
  after === undefined || after < prefix ? prefix : `${after}\0`

/** Returns a page of the current state. */
export const currentPage = (state: MemoryState, history: History, prefix: string, options: RangeOptions): RangePage => {
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  const lower = lowerBoundOf(prefix, options.after)
  const upper = endOfPrefix(prefix)
  const entries: Array<Entry> = []
  if (limit > 0) {
    state.keys.visit(lower, upper, (key) => entries.push(state.slots.get(key)?.current as Entry) < limit)
  }
  const remaining = limit === Number.POSITIVE_INFINITY ? 0 : state.keys.countBetween(lower, upper) - entries.length
  return { entries, revision: history.newest, remaining }
}

/** Returns a page of the state at an earlier revision that the history still covers. */
export const pageFromHistory = (
  state: MemoryState,
  history: History,
  prefix: string,
  options: RangeOptions,
  revision: Revision
): RangePage => {
  const past = entriesBefore(history, revision, lowerBoundOf(prefix, options.after), endOfPrefix(prefix))
  return pageOfPastState(state, past, prefix, options, revision)
}

/**
 * Returns a page of an earlier state: the current state with the later changes undone. `past` has, for each key that may
 * be on the page and changed after the revision, its entry at that time; undefined if it was absent.
 */
export const pageOfPastState = (
  state: MemoryState,
  past: ReadonlyMap<string, Entry | undefined>,
  prefix: string,
  options: RangeOptions,
  revision: Revision
): RangePage => {
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  const lower = lowerBoundOf(prefix, options.after)
  const upper = endOfPrefix(prefix)
  const deletedSince = [...past.keys()].filter((key) => past.get(key) !== undefined && !state.slots.has(key)).sort()
  let total = state.keys.countBetween(lower, upper) + deletedSince.length
  for (const [key, entry] of past) if (entry === undefined && state.slots.has(key)) total--

  const entries: Array<Entry> = []
  let nextDeleted = 0
  /** Adds entries that are deleted now and sort before `key`. */
  const addDeleted = (key: string | undefined) => {
    while (nextDeleted < deletedSince.length && entries.length < limit) {
      const candidate = deletedSince[nextDeleted] as string
      if (key !== undefined && candidate > key) return
      entries.push(past.get(candidate) as Entry)
      nextDeleted++
    }
  }
  state.keys.visit(lower, upper, (key) => {
    addDeleted(key)
    if (entries.length >= limit) return false
    const entry = past.has(key) ? past.get(key) : state.slots.get(key)?.current
    if (entry !== undefined) entries.push(entry)
    return entries.length < limit
  })
  addDeleted(undefined)
  return { entries, revision, remaining: total - entries.length }
}

/**
 * Returns, for each key between the bounds that changed after the revision, its entry at that time; undefined if it was
 * absent. Later changes are visited first, so that the earliest one after the revision determines the entry.
 */
const entriesBefore = (
  history: History,
  revision: Revision,
  lower: string,
  upper: string | undefined
): ReadonlyMap<string, Entry | undefined> => {
  const past = new Map<string, Entry | undefined>()
  const recordPrevious = (change: Change) => {
    const key = keyOfChange(change)
    if (key >= lower && (upper === undefined || key < upper)) past.set(key, change.previous)
  }
  for (let at = history.newest; at > revision; at--) {
    const changes = history.at(at)
    if ("type" in changes) recordPrevious(changes)
    else changes.forEach(recordPrevious)
  }
  return past
}
