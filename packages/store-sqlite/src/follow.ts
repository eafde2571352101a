import { type Change, type Revision, StoreCompacted, StoreFailure, type StoreSink } from "@rollcall/store"
import type { History, Watchers } from "@rollcall/store/parts"
import type { TimersShape } from "@rollcall/time"
import { entryOf } from "./internal/Present.ts"
import type { ChangeRow } from "./internal/rows.ts"
import type { Journal } from "./Journal.ts"

/** Rows of history in one delivery, or a little more: a batch is not split. */
const CHUNK = 1000

export interface FollowParts {
  readonly timers: TimersShape
  readonly journal: Journal
  readonly recent: History
  readonly watchers: Watchers
  /** History before this revision is forgotten. */
  readonly compacted: () => Revision
}

/**
 * A watch that the history in memory serves while it can, and the file where that does not reach: at first, or when one group of
 * writes was more than is kept in memory. Returns what ends it.
 */
export const follow = (parts: FollowParts, prefix: string, from: Revision, sink: StoreSink): (() => void) => {
  const { compacted, journal, recent, timers, watchers } = parts
  let active = true
  let cancelLive = () => {}

  const end = (error: StoreCompacted | StoreFailure | undefined) => {
    if (!active) return
    active = false
    sink.end(error)
  }
  const goOn = (after: Revision) => {
    if (after >= recent.oldest - 1) cancelLive = watchers.add(prefix, after, live)
    else if (after >= compacted() - 1) read(after)
    else timers.soon(() => end(new StoreCompacted({ requested: after, oldest: compacted() })))
  }
  const live: StoreSink = {
    changes: (batch) => sink.changes(batch),
    end: (error) => (error?._tag === "StoreCompacted" ? goOn(error.requested) : end(error))
  }
  const read = (after: Revision) =>
    journal.ask("changes", { prefix, after, limit: CHUNK }, (answer) => {
      if (!active) return
      if (!answer.ok) return end(new StoreFailure({ message: answer.message }))
      // What was forgotten while the thread was asked may be in the answer in part.
      if (after < compacted() - 1) return goOn(after)
      const { changes, until } = answer.value
      if (changes.length > 0) sink.changes(changes.map(changeOf))
      if (active) goOn(until)
    })
  goOn(from)
  return () => {
    active = false
    cancelLive()
  }
}

const changeOf = (row: ChangeRow): Change => {
  const { key, revision } = row
  const previous = entryOf(key, row.beforeValue, row.beforeCreated, row.beforeRevision)
  const entry = entryOf(key, row.value, row.created, revision)
  if (entry !== undefined) return { type: "put", entry, previous }
  if (previous === undefined) throw new Error(`the history of ${key} has a delete of nothing at revision ${revision}`)
  return { type: "delete", key, revision, previous }
}
