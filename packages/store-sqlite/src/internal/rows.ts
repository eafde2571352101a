import type { Revision } from "@rollcall/store"

/** Row numbers of changes, in commit order; 0 is none. */
export type Sequence = number

/** Rows to append, by column: a thread is told a few arrays faster than many objects. */
export interface NewRows {
  readonly sequences: ReadonlyArray<Sequence>
  readonly revisions: ReadonlyArray<Revision>
  readonly created: ReadonlyArray<Revision>
  readonly previous: ReadonlyArray<Sequence>
  readonly keys: ReadonlyArray<string>
  /** JSON; null for a delete. */
  readonly values: ReadonlyArray<string | null>
}

/** A key and its value at some revision, as the file has it. */
export interface StoredRow {
  readonly sequence: Sequence
  readonly key: string
  readonly value: string
  readonly created: Revision
  readonly revision: Revision
}

/** A change, with what it superseded. */
export interface ChangeRow {
  readonly revision: Revision
  readonly created: Revision
  readonly key: string
  readonly value: string | null
  /** Null: nothing was there. */
  readonly beforeRevision: Revision | null
  readonly beforeCreated: Revision | null
  readonly beforeValue: string | null
}

export interface ChangePage {
  readonly changes: ReadonlyArray<ChangeRow>
  /** All changes up to this revision are on this page or before it. */
  readonly until: Revision
}

/** What stood under a key before the first change after some revision. */
export interface PastRow {
  readonly key: string
  readonly created: Revision | null
  readonly revision: Revision | null
  readonly value: string | null
}

/** Where the file stands. */
export interface Position {
  readonly revision: Revision
  readonly sequence: Sequence
  readonly compacted: Revision
}
