import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** One revision counter for the whole store; it grows by one with each batch that is written. */
export type Revision = number

/** A JSON value. Immutable: a layer may keep it by reference or serialise it. */
export type StoredValue = unknown

export interface Entry {
  readonly key: string
  readonly value: StoredValue
  readonly createRevision: Revision
  readonly modRevision: Revision
}

/**
 * Where a layer keeps a key, for that layer alone to read: a write that names it spares the search. It may outlive the key, and
 * is then of no use.
 */
export type Place = object

/**
 * One step of a batch. `expect` compares before anything is written: 0 asks that the key is absent, another number that its
 * modRevision is that one; absent, the step is unconditional.
 */
export type Operation =
  | {
      readonly type: "put"
      readonly key: string
      readonly value: StoredValue
      readonly expect?: Revision
      readonly place?: Place | undefined
    }
  | { readonly type: "delete"; readonly key: string; readonly expect?: Revision }

/** What one operation changed. All changes of a batch carry the batch's revision. */
export type Change =
  | { readonly type: "put"; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly type: "delete"; readonly key: string; readonly revision: Revision; readonly previous: Entry }

/** A comparison failed: nothing of the batch was written. */
export class StoreConflict extends Schema.TaggedError<StoreConflict>()("StoreConflict", {
  key: Schema.String,
  /** The key's modRevision now, 0 when it is absent. */
  actual: Schema.Number
}) {}

/** The revision asked for is older than the history that is kept. */
export class StoreCompacted extends Schema.TaggedError<StoreCompacted>()("StoreCompacted", {
  requested: Schema.Number,
  oldest: Schema.Number
}) {}

/** The store's own failure: a damaged file, a full disk, a lost server. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  message: Schema.String
}) {}

export interface RangeOptions {
  /** At most this many entries. */
  readonly limit?: number
  /** Only keys after this one. */
  readonly after?: string
  /** As the store was at that revision. */
  readonly revision?: Revision
}

export interface RangePage {
  readonly entries: ReadonlyArray<Entry>
  /** The revision that the page shows. */
  readonly revision: Revision
  /** Entries in the range beyond this page. */
  readonly remaining: number
}

export interface StoreSink {
  /** Changes in revision order, at least one; all changes of one batch come in one call. */
  readonly changes: (batch: ReadonlyArray<Change>) => void
  readonly end: (error: StoreCompacted | StoreFailure | undefined) => void
}

type Reply<A, E> = (result: Result.Result<A, E>) => void

/**
 * What the API server keeps, in the shape of etcd: one revision counter, compare-and-swap by revision, ordered range reads,
 * watches from a revision, compaction. Keys are ordered by UTF-16 code units (ASCII in practice).
 *
 * Every call answers exactly once, before it returns or later; writes are applied in the order of the calls. A batch names a
 * key at most once (else StoreFailure); one that changes nothing (a delete of an absent key) takes no revision and answers the
 * newest. A range at a revision that is yet to come is a StoreFailure; a watch from one waits. An acknowledged
 * write is as durable as the layer promises. `watch` delivers every change after `from` once, in order; it returns a function
 * that ends it silently. Deliveries never happen inside a call of the store; they may come before the write's own reply.
 */
export interface StoreShape {
  /** The newest revision. */
  readonly revision: () => Revision
  /** The place of a key that exists. Optional, as is naming it: a layer without it always searches. */
  readonly place?: (key: string) => Place | undefined
  /** Characters of a key's value in the form that the layer keeps. Optional, for a layer that keeps no text. */
  readonly sizeOf?: (key: string) => number | undefined
  readonly get: (key: string, reply: Reply<Entry | undefined, StoreFailure>) => void
  readonly range: (
    prefix: string,
    options: RangeOptions,
    reply: Reply<RangePage, StoreCompacted | StoreFailure>
  ) => void
  /** All or nothing. Answers the revision of the batch. */
  readonly write: (batch: ReadonlyArray<Operation>, reply: Reply<Revision, StoreConflict | StoreFailure>) => void
  readonly watch: (prefix: string, from: Revision, sink: StoreSink) => () => void
  /**
   * Forgets the history before this revision: older ranges, and watches from before the revision that precedes it, answer
   * StoreCompacted. A layer may also forget by itself to stay bounded.
   */
  readonly compact: (revision: Revision, reply: Reply<void, StoreFailure>) => void
}

export class Store extends Context.Service<Store, StoreShape>()("@rollcall/store/Store") {}
