import type { KubeObject } from "@rollcall/api"
import type { Change, Entry, Revision, StoreShape } from "@rollcall/store"
import type { Cached } from "../watch/KindCache.ts"
import { type Occurrence, withResourceVersion, withStoredRevision } from "../watch/Occurrence.ts"

/**
 * The length of the history to load, in revisions: what 5,000 nodes write in some 40 s, far longer than a restart
 * takes. More would only slow down the start; a client that was disconnected for longer lists again.
 */
const LOADED_REVISIONS = 20_000

/** The newest changes of a store, in their order. */
export interface History {
  /** All changes after this revision are included. */
  readonly floor: Revision
  readonly changes: ReadonlyArray<Change>
}

/**
 * Reads the store's last changes up to a revision, at most `LOADED_REVISIONS`. Calls `done` with undefined if the store
 * has no history, or cannot be read.
 */
export const loadHistory = (
  store: StoreShape,
  prefix: string,
  until: Revision,
  done: (history: History | undefined) => void
): void => {
  const changes: Array<Change> = []
  const read = (floor: Revision) => {
    if (floor >= until) return done(undefined)
    const stop = store.watch(prefix, floor, {
      progress: (revision) => {
        if (revision < until) return
        stop()
        done({ floor, changes })
      },
      changes: (batch) => {
        for (const change of batch) if (revisionOf(change) <= until) changes.push(change)
        const last = batch[batch.length - 1]
        if (last === undefined || revisionOf(last) < until) return
        stop()
        done({ floor, changes })
      },
      end: (error) => {
        changes.length = 0
        if (error?._tag === "StoreCompacted" && error.oldest - 1 > floor) read(error.oldest - 1)
        else done(undefined)
      }
    })
  }
  read(Math.max(0, until - LOADED_REVISIONS))
}

export const revisionOf = (change: Change): Revision =>
  change.type === "put" ? change.entry.modRevision : change.revision

const storedObjectOf = ({ modRevision, value }: Entry): KubeObject =>
  withStoredRevision(value as KubeObject, modRevision)

/** Returns the object of an entry. */
export type ObjectOf = (entry: Entry) => KubeObject

/**
 * Returns a function that makes one object of each state of a key, for the changes of a history in their order: a change
 * has the state before it as well, and the newest state is in the cache. `cachedOf` looks up a key there.
 */
export const sharedObjects = (cachedOf: (key: string) => Pick<Cached, "object" | "revision"> | undefined): ObjectOf => {
  const latest = new Map<string, Pick<Cached, "object" | "revision">>()
  return (entry) => {
    const { key, modRevision } = entry
    const known = latest.get(key)
    if (known?.revision === modRevision) return known.object
    const cached = cachedOf(key)
    const object = cached?.revision === modRevision ? cached.object : storedObjectOf(entry)
    latest.set(key, { object, revision: modRevision })
    return object
  }
}

/**
 * Converts a change of the store to the event of a watch. Its size counts as 0: `LOADED_REVISIONS` already bounds the
 * memory of these events.
 */
export const occurrenceOf = (change: Change, objectOf: ObjectOf): Occurrence => {
  const previous = change.previous && objectOf(change.previous)
  if (change.type === "put") {
    const type = previous === undefined ? "ADDED" : "MODIFIED"
    return { revision: change.entry.modRevision, event: { type, object: objectOf(change.entry) }, previous, size: 0 }
  }
  const { revision } = change
  const object = withResourceVersion(objectOf(change.previous), revision)
  return { revision, event: { type: "DELETED", object }, previous, size: 0 }
}
