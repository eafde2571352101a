import * as Result from "effect/Result"
import {
  type Change,
  type Entry,
  type Operation,
  type Revision,
  StoreCompacted,
  StoreConflict,
  type StoreShape,
  type StoreSink
} from "../Store.ts"

const shiftEntry = <E extends Entry | undefined>(entry: E, base: Revision): E =>
  entry && { ...entry, createRevision: entry.createRevision - base, modRevision: entry.modRevision - base }

const shiftChange = (change: Change, base: Revision): Change =>
  change.type === "put"
    ? { type: "put", entry: shiftEntry(change.entry, base), previous: shiftEntry(change.previous, base) }
    : { ...change, revision: change.revision - base, previous: shiftEntry(change.previous, base) }

const shiftCompacted = ({ oldest, requested }: StoreCompacted, base: Revision): StoreCompacted =>
  new StoreCompacted({ requested: requested - base, oldest: oldest - base })

const unshift = (operation: Operation, base: Revision): Operation => {
  const { expect } = operation
  return expect === undefined || expect === 0 ? operation : { ...operation, expect: expect + base }
}

const shiftSink = (sink: StoreSink, base: Revision): StoreSink => ({
  ...sink,
  changes: (batch) => sink.changes(batch.map((change) => shiftChange(change, base))),
  end: (error) => sink.end(error?._tag === "StoreCompacted" ? shiftCompacted(error, base) : error)
})

/** A store as one whose revisions begin after `base`: a shared store is empty, but has been written before. */
export const shifted = (store: StoreShape, base: Revision): StoreShape => ({
  ...store,
  revision: () => store.revision() - base,
  get: (key, reply) => store.get(key, (result) => reply(Result.map(result, (entry) => shiftEntry(entry, base)))),
  range: (prefix, { revision, ...options }, reply) =>
    store.range(prefix, { ...options, ...(revision === undefined ? {} : { revision: revision + base }) }, (result) =>
      reply(
        Result.isFailure(result)
          ? Result.mapError(result, (error) => (error._tag === "StoreCompacted" ? shiftCompacted(error, base) : error))
          : Result.succeed({
              ...result.success,
              revision: result.success.revision - base,
              entries: result.success.entries.map((entry) => shiftEntry(entry, base))
            })
      )
    ),
  write: (batch, reply) =>
    store.write(
      batch.map((operation) => unshift(operation, base)),
      (result, texts) =>
        reply(
          Result.isSuccess(result)
            ? Result.succeed(result.success - base)
            : Result.mapError(result, (error) =>
                error._tag === "StoreConflict" && error.actual !== 0
                  ? new StoreConflict({ key: error.key, actual: error.actual - base })
                  : error
              ),
          texts
        )
    ),
  watch: (prefix, from, sink) => store.watch(prefix, from + base, shiftSink(sink, base)),
  compact: (revision, reply) => store.compact(revision + base, reply)
})
