import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import {
  type Change,
  type Entry,
  type Operation,
  type RangeOptions,
  type RangePage,
  type Revision,
  Store,
  type StoreCompacted,
  type StoreConflict,
  type StoreFailure,
  type StoreShape
} from "../Store.ts"
import { shifted } from "./shifted.ts"

type EndError = StoreCompacted | StoreFailure | undefined

/** The changes that a watch has delivered so far, and ways to wait for more. */
export interface WatchProbe {
  /** One array for each delivery. */
  readonly deliveries: ReadonlyArray<ReadonlyArray<Change>>
  /** Waits for a change at or above this revision and returns all changes. */
  readonly until: (revision: Revision) => Effect.Effect<ReadonlyArray<Change>>
  /** Waits for the end of the watch and returns its error. */
  readonly ended: Effect.Effect<EndError>
  readonly cancel: () => void
}

/** A store's calls as Effects. */
export interface StoreProbe {
  readonly get: (key: string) => Effect.Effect<Entry | undefined, StoreFailure>
  readonly range: (prefix: string, options?: RangeOptions) => Effect.Effect<RangePage, StoreCompacted | StoreFailure>
  readonly write: (...batch: ReadonlyArray<Operation>) => Effect.Effect<Revision, StoreConflict | StoreFailure>
  readonly compact: (revision: Revision) => Effect.Effect<void, StoreFailure>
  readonly watch: (prefix: string, from: Revision) => Effect.Effect<WatchProbe, never, Scope.Scope>
}

export const revisionOf = (change: Change): Revision =>
  change.type === "put" ? change.entry.modRevision : change.revision

const toEffect = <A, E>(call: (reply: (result: Result.Result<A, E>) => void) => void): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => call((result) => resume(Effect.fromResult(result))))

const TIMEOUT = "10 seconds"

const openWatch = (store: StoreShape, prefix: string, from: Revision): WatchProbe => {
  const deliveries: Array<ReadonlyArray<Change>> = []
  const delivered: Array<Change> = []
  const waiting = new Set<{ readonly revision: Revision; readonly done: Deferred.Deferred<void> }>()
  const ended = Deferred.makeUnsafe<EndError>()
  const lastRevision = () => {
    const change = delivered[delivered.length - 1]
    return change === undefined ? 0 : revisionOf(change)
  }
  const cancel = store.watch(prefix, from, {
    changes: (batch) => {
      deliveries.push(batch)
      delivered.push(...batch)
      for (const waiter of waiting) if (waiter.revision <= lastRevision()) Deferred.doneUnsafe(waiter.done, Exit.void)
    },
    end: (error) => void Deferred.doneUnsafe(ended, Exit.succeed(error))
  })
  return {
    deliveries,
    until: (revision) =>
      Effect.gen(function* () {
        if (lastRevision() < revision) {
          const waiter = { revision, done: Deferred.makeUnsafe<void>() }
          waiting.add(waiter)
          yield* Deferred.await(waiter.done).pipe(
            Effect.timeout(TIMEOUT),
            Effect.catchTag("TimeoutError", () => Effect.die(new Error(`the watch never reached revision ${revision}`)))
          )
          waiting.delete(waiter)
        }
        return [...delivered]
      }),
    ended: Deferred.await(ended).pipe(
      Effect.timeout(TIMEOUT),
      Effect.catchTag("TimeoutError", () => Effect.die(new Error("the watch did not end")))
    ),
    cancel
  }
}

export const probe = (store: StoreShape): StoreProbe => ({
  get: (key) => toEffect((reply) => store.get(key, reply)),
  range: (prefix, options = {}) => toEffect((reply) => store.range(prefix, options, reply)),
  write: (...batch) => toEffect((reply) => store.write(batch, reply)),
  compact: (revision) => toEffect((reply) => store.compact(revision, reply)),
  watch: (prefix, from) =>
    Effect.acquireRelease(
      Effect.sync(() => openWatch(store, prefix, from)),
      (watch) => Effect.sync(watch.cancel)
    )
})

export interface ProbeOptions {
  /**
   * Whether the revisions of a new store continue those of another, as in an etcd of many users: the probe then counts
   * from the first one. Default: false, a new store has revision 0.
   */
  readonly sharesRevisions?: boolean
}

/** Returns the probe of a new store, whose revisions begin at 0. */
export const probeOf = ({ sharesRevisions = false }: ProbeOptions) =>
  Effect.gen(function* (): Effect.fn.Return<StoreProbe, unknown, Store> {
    const store = yield* Store
    if (!sharesRevisions) return probe(store)
    const { revision } = yield* probe(store).range("")
    return probe(shifted(store, revision))
  })
