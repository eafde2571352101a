import { parseExactly } from "@rollcall/api/json"
import { type Change, type Entry, type Revision, SortedKeys } from "@rollcall/store"
import type { MemoryState } from "@rollcall/store/parts"
import type { Slot } from "./Draft.ts"
import type { NewRows, PastRow, Position, Sequence, StoredRow } from "./rows.ts"

/**
 * The current contents of the file in memory: values as they were written, or as they were read when the file was opened.
 */
export class CurrentState implements MemoryState {
  readonly slots = new Map<string, Slot>()
  readonly keys = new SortedKeys()
  /** The newest row. */
  sequence: Sequence

  constructor({ sequence }: Position) {
    this.sequence = sequence
  }

  load(rows: ReadonlyArray<StoredRow>): void {
    for (const { created, key, revision, sequence, value } of rows) {
      const current: Entry = { key, value: parseExactly(value), createRevision: created, modRevision: revision }
      this.slots.set(key, { current, sequence, size: value.length })
      this.keys.add(key)
    }
  }

  /** Applies committed changes: one change for each row. */
  apply(changes: ReadonlyArray<ReadonlyArray<Change>>, { sequences, values }: NewRows): void {
    let at = 0
    for (const batch of changes) {
      for (const change of batch) {
        this.applyOne(change, sequences[at] as Sequence, values[at]?.length ?? 0)
        at++
      }
    }
    this.sequence += at
  }

  private applyOne(change: Change, sequence: Sequence, size: number): void {
    if (change.type === "delete") {
      this.slots.delete(change.key)
      this.keys.delete(change.key)
      return
    }
    const { entry } = change
    const slot = this.slots.get(entry.key)
    if (slot === undefined) {
      this.slots.set(entry.key, { current: entry, sequence, size })
      this.keys.add(entry.key)
      return
    }
    slot.current = entry
    slot.sequence = sequence
    slot.size = size
  }
}

/**
 * Makes an entry of a row's columns, whose value is parsed when it is first read: of a long history few are. Returns undefined if
 * they are null, because the key was absent.
 */
export const entryOf = (
  key: string,
  json: string | null,
  created: Revision | null,
  revision: Revision | null
): Entry | undefined => {
  if (json === null || created === null || revision === null) return undefined
  let value: unknown
  return {
    key,
    get value() {
      value ??= parseExactly(json)
      return value
    },
    createRevision: created,
    modRevision: revision
  }
}

/** Returns the past entry of each key from `lower` on that has changed since; undefined if the key was absent. */
export const entriesOfPast = (rows: ReadonlyArray<PastRow>, lower: string): ReadonlyMap<string, Entry | undefined> => {
  const past = new Map<string, Entry | undefined>()
  for (const { created, key, revision, value } of rows) {
    if (key >= lower) past.set(key, entryOf(key, value, created, revision))
  }
  return past
}
