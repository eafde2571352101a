import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The revision counter of the whole store; each written batch increases it by one. */
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
 * An opaque handle of a key's location, made by the layer. A write that passes it saves the layer the look-up of the key.
 * A handle of a key that has been deleted has no effect.
 */
export type Place = object

/**
 * One operation of a batch. `expect` is compared before anything is written: 0 requires that the key is absent, another
 * number that the key has this modRevision. Without `expect`, the operation is unconditional.
 */
export type Operation =
  | {
      readonly type: "put"
      readonly key: string
      readonly value: StoredValue
      readonly expect?: Revision
      readonly place?: Place | undefined
      /** The store may delete the key after this time, see `StoreShape.expires`; a later put of the key begins anew. */
      readonly ttlMs?: number
    }
  | { readonly type: "delete"; readonly key: string; readonly expect?: Revision }

/** The change that one operation made. All changes of a batch carry the batch's revision. */
export type Change =
  | { readonly type: "put"; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly type: "delete"; readonly key: string; readonly revision: Revision; readonly previous: Entry }

/** The `expect` of an operation does not hold. Nothing of the batch was written. */
export class StoreConflict extends Schema.TaggedError<StoreConflict>()("StoreConflict", {
  key: Schema.String,
  /** The key's current modRevision; 0 if it is absent. */
  actual: Schema.Number
}) {}

/** The requested revision is older than the kept history. */
export class StoreCompacted extends Schema.TaggedError<StoreCompacted>()("StoreCompacted", {
  requested: Schema.Number,
  oldest: Schema.Number
}) {}

/** The store itself failed: a damaged file, a full disk, a lost server. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  message: Schema.String
}) {}

export interface RangeOptions {
  /** The maximum number of entries. */
  readonly limit?: number
  /** Return only keys after this one. */
  readonly after?: string
  /** Read the state at that revision. */
  readonly revision?: Revision
}

export interface RangePage {
  readonly entries: ReadonlyArray<Entry>
  /** The revision of the page's state. */
  readonly revision: Revision
  /** The number of entries in the range after this page. */
  readonly remaining: number
}

/** Makes the values that `QuietWrites` stores without them. */
export interface QuietSource {
  /** Returns the value of the write of `id` at that revision and time. */
  readonly valueOf: (id: number, revision: Revision, timeMs: number) => StoredValue
  readonly placeOf: (id: number) => Place
  /** Puts the newest value of each id, by `settle`: somebody reads. */
  readonly settleAll: () => void
}

/** Writes of values that are made when they are read. */
export interface QuietWrites {
  /** Writes the value of an id without it, and returns the revision. `last…` say when its value was written before. */
  readonly write: (id: number, timeMs: number, lastTimeMs: number, lastRevision: Revision) => Revision
  /** Puts the value that an id's last quiet write stands for. */
  readonly settle: (id: number, value: StoredValue, revision: Revision) => void
  /** Makes the values of all quiet writes of an id that the history still has. */
  readonly release: (id: number) => void
}

export interface StoreSink {
  /** Whether it needs no change of a quiet write. */
  readonly skipsQuiet?: boolean
  /** Receives changes in revision order, at least one; all changes of one batch come in one call. */
  readonly changes: (batch: ReadonlyArray<Change>) => void
  /**
   * Called when all changes up to this revision have been delivered and the last of them was of other keys, by a layer
   * that shares its revisions with others. Optional, for a sink that waits for no revision.
   */
  readonly progress?: (revision: Revision) => void
  /** Called once when the store ends the watch; with StoreCompacted, the watcher must list again. */
  readonly end: (error: StoreCompacted | StoreFailure | undefined) => void
}

type Reply<A, E> = (result: Result.Result<A, E>) => void

/**
 * `texts` are the JSON of the values that were written, by operation, null for a delete. Optional, for a layer that writes
 * no text.
 */
type WriteReply = (
  result: Result.Result<Revision, StoreConflict | StoreFailure>,
  texts?: ReadonlyArray<string | null>
) => void

/**
 * The storage of the API server, with the semantics of etcd: one revision counter, compare-and-swap by revision,
 * ordered range reads, watches from a revision, compaction.
 *
 * - Keys are ordered by UTF-16 code units; they are ASCII in practice.
 * - Every call calls `reply` exactly once, before it returns or later. Writes of a key are applied in the order of the
 *   calls; a layer over a network may apply writes of different keys in another order.
 * - A batch may contain a key at most once; otherwise it fails with StoreFailure. A batch that changes nothing (a delete
 *   of an absent key) uses no revision and returns the newest one.
 * - A range at a future revision fails with StoreFailure; a watch from one waits.
 * - An acknowledged write is as durable as the layer promises.
 * - `watch` delivers every change after `from` once, in order. It returns a function that ends the watch without calling
 *   `end`. Changes are never delivered within a call of the store; they may be delivered before the write's own reply.
 */
export interface StoreShape {
  /** Returns the newest revision that is known. */
  readonly revision: () => Revision
  /**
   * Reads the newest revision, which is at least that of every write that was acknowledged before the call, to whomever.
   * Optional: the `revision` of a layer without it is that one, because no other process writes to its store.
   */
  readonly current?: (reply: Reply<Revision, StoreFailure>) => void
  /** Whether the layer deletes the keys of puts with `ttlMs` by itself. Default: false, it ignores `ttlMs`. */
  readonly expires?: boolean
  /** Returns the place of a key that exists. Optional, as is passing it: a layer without it always looks the key up. */
  readonly place?: (key: string) => Place | undefined
  /**
   * Returns the size of a key's value in characters, in the form that the layer keeps. Optional, for a layer that keeps
   * no text.
   */
  readonly sizeOf?: (key: string) => number | undefined
  /**
   * Lets a source write values that are made when they are read. Optional: a layer without it needs every value.
   */
  readonly quiet?: (source: QuietSource) => QuietWrites
  readonly get: (key: string, reply: Reply<Entry | undefined, StoreFailure>) => void
  readonly range: (
    prefix: string,
    options: RangeOptions,
    reply: Reply<RangePage, StoreCompacted | StoreFailure>
  ) => void
  /** Writes all operations or none. Returns the revision of the batch. */
  readonly write: (batch: ReadonlyArray<Operation>, reply: WriteReply) => void
  readonly watch: (prefix: string, from: Revision, sink: StoreSink) => () => void
  /**
   * Discards the history before this revision: ranges at older revisions, and watches from before its predecessor,
   * return StoreCompacted. A layer may also compact by itself to stay bounded.
   */
  readonly compact: (revision: Revision, reply: Reply<void, StoreFailure>) => void
}

export class Store extends Context.Service<Store, StoreShape>()("@rollcall/store/Store") {}
