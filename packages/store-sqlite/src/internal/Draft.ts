import { type Change, type Entry, type Operation, type Revision, StoreConflict, StoreFailure } from "@rollcall/store"
import type { NewRows, Sequence } from "./rows.ts"

/** The entry of a key and its row number. It lives as long as the key. */
export interface Slot {
  current: Entry
  sequence: Sequence
  /** The size of the value's JSON in characters. */
  size: number
}

interface DraftEntry {
  readonly current: Entry | undefined
  readonly sequence: Sequence
}

export type BatchResult = Revision | StoreConflict | StoreFailure

const absent: DraftEntry = { current: undefined, sequence: 0 }

/**
 * A group of batches before it is committed. Each batch is checked as if those before it had been written; it then takes
 * a revision, or changes nothing.
 */
export class Draft {
  readonly results: Array<BatchResult> = []
  /** The changes by revision, starting with the group's first. */
  readonly changes: Array<ReadonlyArray<Change>> = []
  /** The size of all values in characters; for a delete, the size of the deleted value, which history keeps. */
  size = 0
  private readonly current: ReadonlyMap<string, Slot>
  private readonly draftEntries = new Map<string, DraftEntry>()
  private readonly rowsByColumn = {
    sequences: [] as Array<Sequence>,
    revisions: [] as Array<Revision>,
    created: [] as Array<Revision>,
    previous: [] as Array<Sequence>,
    keys: [] as Array<string>,
    values: [] as Array<string | null>
  }
  private revision: Revision
  private sequence: Sequence

  constructor(current: ReadonlyMap<string, Slot>, revision: Revision, sequence: Sequence) {
    this.current = current
    this.revision = revision
    this.sequence = sequence
  }

  get rows(): NewRows {
    return this.rowsByColumn
  }

  /** Adds a batch to the group; its result is in `results`. `values` is what `serialize` returns for the batch. */
  add(batch: ReadonlyArray<Operation>, values: ReadonlyArray<string | null>): void {
    this.results.push(this.apply(batch, values))
  }

  private apply(batch: ReadonlyArray<Operation>, values: ReadonlyArray<string | null>): BatchResult {
    const conflict = this.conflictOf(batch)
    if (conflict !== undefined) return conflict
    const changes: Array<Change> = []
    for (let at = 0; at < batch.length; at++) {
      const change = this.applyOperation(batch[at] as Operation, values[at] as string | null)
      if (change !== undefined) changes.push(change)
    }
    if (changes.length === 0) return this.revision
    this.changes.push(changes)
    return ++this.revision
  }

  private conflictOf(batch: ReadonlyArray<Operation>): StoreConflict | StoreFailure | undefined {
    const keys = batch.length > 1 ? new Set<string>() : undefined
    for (const { expect, key } of batch) {
      if (keys?.has(key)) return new StoreFailure({ message: `a batch may contain a key only once: ${key}` })
      keys?.add(key)
      if (expect === undefined) continue
      const actual = this.entryOf(key).current?.modRevision ?? 0
      if (actual !== expect) return new StoreConflict({ key, actual })
    }
    return undefined
  }

  private applyOperation(operation: Operation, json: string | null): Change | undefined {
    const { key } = operation
    const { current: previous, sequence: superseded } = this.entryOf(key)
    const revision = this.revision + 1
    if (operation.type === "put") {
      const createRevision = previous?.createRevision ?? revision
      const entry: Entry = { key, value: operation.value, createRevision, modRevision: revision }
      this.addRow(key, json, revision, createRevision, superseded)
      this.draftEntries.set(key, { current: entry, sequence: this.sequence })
      return { type: "put", entry, previous }
    }
    if (previous === undefined) return undefined
    this.addRow(key, null, revision, previous.createRevision, superseded)
    this.size += this.current.get(key)?.size ?? 0
    this.draftEntries.set(key, absent)
    return { type: "delete", key, revision, previous }
  }

  private addRow(key: string, value: string | null, revision: Revision, created: Revision, previous: Sequence): void {
    const rows = this.rowsByColumn
    rows.sequences.push(++this.sequence)
    rows.revisions.push(revision)
    rows.created.push(created)
    rows.previous.push(previous)
    rows.keys.push(key)
    rows.values.push(value)
    this.size += value === null ? 0 : value.length
  }

  private entryOf(key: string): DraftEntry {
    return this.draftEntries.get(key) ?? this.current.get(key) ?? absent
  }
}

/**
 * Serializes the values of a batch as JSON, null for a delete; returns a failure for a value that JSON cannot
 * represent.
 */
export const serialize = (batch: ReadonlyArray<Operation>): ReadonlyArray<string | null> | StoreFailure => {
  const texts: Array<string | null> = []
  for (const operation of batch) {
    const text = operation.type === "put" ? jsonOf(operation.value) : null
    if (text === undefined) return new StoreFailure({ message: `the value of ${operation.key} is not JSON` })
    texts.push(text)
  }
  return texts
}

/** Returns undefined for a value that JSON cannot represent. */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
