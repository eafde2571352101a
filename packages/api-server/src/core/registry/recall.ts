import type { KubeObject } from "@rollcall/api"
import type { Change, Entry, Revision, StoreShape } from "@rollcall/store"
import { atRevision, type Occurrence, stamped } from "../watch/Occurrence.ts"

/**
 * How far back: what a fleet of 5,000 nodes writes in some 40 s, far longer than a restart takes. More would only make the start
 * slower; whoever has been away for longer lists anew.
 */
const RECALLED_REVISIONS = 20_000

export interface History {
  /** Everything after this revision is there. */
  readonly floor: Revision
  readonly changes: ReadonlyArray<Change>
}

/** The store's own account of the last changes up to a revision; undefined when it has none to give. */
export const recallHistory = (
  store: StoreShape,
  prefix: string,
  until: Revision,
  done: (history: History | undefined) => void
): void => {
  const changes: Array<Change> = []
  const read = (floor: Revision) => {
    if (floor >= until) return done(undefined)
    const stop = store.watch(prefix, floor, {
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
  read(Math.max(0, until - RECALLED_REVISIONS))
}

const revisionOf = (change: Change): Revision => (change.type === "put" ? change.entry.modRevision : change.revision)

const objectOf = ({ modRevision, value }: Entry): KubeObject => stamped(value as KubeObject, modRevision)

/** A change of the store as a watch would have been told of it. The store bounds what its own history measures. */
export const occurrenceOf = (change: Change): Occurrence => {
  const previous = change.previous && objectOf(change.previous)
  if (change.type === "put") {
    const type = previous === undefined ? "ADDED" : "MODIFIED"
    return { revision: change.entry.modRevision, event: { type, object: objectOf(change.entry) }, previous, size: 0 }
  }
  const { revision } = change
  const object = atRevision(objectOf(change.previous), revision)
  return { revision, event: { type: "DELETED", object }, previous, size: 0 }
}
