import type { Revision } from "@rollcall/store"

/** The row number of a change, in commit order. 0 stands for no row. */
export type Sequence = number

/** Rows to append, by column: a few arrays are sent to a thread faster than many objects. */
export interface NewRows {
  readonly sequences: ReadonlyArray<Sequence>
  readonly revisions: ReadonlyArray<Revision>
  readonly created: ReadonlyArray<Revision>
  readonly previous: ReadonlyArray<Sequence>
  readonly keys: ReadonlyArray<string>
  /** JSON; null for a delete. */
  readonly values: ReadonlyArray<string | null>
}

/** A key and its value at some revision, as stored in the file. */
export interface StoredRow {
  readonly sequence: Sequence
  readonly key: string
  readonly value: string
  readonly created: Revision
  readonly revision: Revision
}

/** A change, with the row that it superseded. */
export interface ChangeRow {
  readonly revision: Revision
  readonly created: Revision
  readonly key: string
  readonly value: string | null
  /** The superseded row's columns; null if the key was absent. */
  readonly beforeRevision: Revision | null
  readonly beforeCreated: Revision | null
  readonly beforeValue: string | null
}

export interface ChangePage {
  readonly changes: ReadonlyArray<ChangeRow>
  /** All changes up to this revision are on this page or before it. */
  readonly until: Revision
}

/** The entry of a key before its first change after some revision. */
export interface PastRow {
  readonly key: string
  readonly created: Revision | null
  readonly revision: Revision | null
  readonly value: string | null
}

/** The file's counters. */
export interface Position {
  /** The newest revision. */
  readonly revision: Revision
  /** The newest row. */
  readonly sequence: Sequence
  /** History before this revision is compacted. */
  readonly compacted: Revision
}
