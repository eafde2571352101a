import { type Change, type Revision, StoreCompacted, StoreFailure, type StoreSink } from "@rollcall/store"
import type { History, Watchers } from "@rollcall/store/parts"
import type { TimersShape } from "@rollcall/time"
import { entryOf } from "./internal/CurrentState.ts"
import type { ChangeRow } from "./internal/rows.ts"
import type { Journal } from "./Journal.ts"

/** The number of rows of history in one delivery; slightly more are possible, because a batch is not split. */
const ROWS_PER_DELIVERY = 1000

export interface WatchDependencies {
  readonly timers: TimersShape
  readonly journal: Journal
  readonly recent: History
  readonly watchers: Watchers
  /** History before this revision is compacted. */
  readonly compacted: () => Revision
}

/**
 * Serves a watch from the history in memory where it reaches, and otherwise from the file: at the start, or when one
 * group of writes exceeds the history in memory. Returns a function that ends the watch.
 */
export const serveWatch = (parts: WatchDependencies, prefix: string, from: Revision, sink: StoreSink): (() => void) => {
  const { compacted, journal, recent, timers, watchers } = parts
  let active = true
  let cancelLive = () => {}

  const end = (error: StoreCompacted | StoreFailure | undefined) => {
    if (!active) return
    active = false
    sink.end(error)
  }
  const resume = (after: Revision) => {
    if (after >= recent.oldest - 1) cancelLive = watchers.add(prefix, after, live)
    else if (after >= compacted() - 1) read(after)
    else timers.soon(() => end(new StoreCompacted({ requested: after, oldest: compacted() })))
  }
  const live: StoreSink = {
    changes: (batch) => sink.changes(batch),
    end: (error) => (error?._tag === "StoreCompacted" ? resume(error.requested) : end(error))
  }
  const read = (after: Revision) =>
    journal.ask("changes", { prefix, after, limit: ROWS_PER_DELIVERY }, (answer) => {
      if (!active) return
      if (!answer.ok) return end(new StoreFailure({ message: answer.message }))
      // History compacted while the thread was asked may be partly in the answer.
      if (after < compacted() - 1) return resume(after)
      const { changes, until } = answer.value
      const isBehind = until < recent.oldest - 1 && until >= compacted() - 1
      // The thread reads the next rows while these are delivered.
      if (isBehind) read(until)
      if (changes.length > 0) sink.changes(changes.map(changeOf))
      if (active && !isBehind) resume(until)
    })
  resume(from)
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
