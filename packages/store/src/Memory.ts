import { Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { History } from "./internal/History.ts"
import { type MemoryState, Slot } from "./internal/MemoryState.ts"
import { currentPage, pageFromHistory } from "./internal/pages.ts"
import { Watchers } from "./internal/Watchers.ts"
import { SortedKeys } from "./SortedKeys.ts"
import {
  type Change,
  type Entry,
  type Operation,
  type QuietSource,
  type QuietWrites,
  type Revision,
  Store,
  StoreCompacted,
  StoreConflict,
  type StoredValue,
  StoreFailure,
  type StoreShape
} from "./Store.ts"

export interface MemoryOptions {
  /** The number of revisions kept as history, for watches and for reads of past revisions. Default 4,096. */
  readonly historyRevisions?: number
}

const succeedVoid: Result.Result<void, never> = Result.succeed(undefined)

const conflictOf = (operation: Operation, current: Entry | undefined): StoreConflict | undefined => {
  if (operation.expect === undefined) return undefined
  const actual = current === undefined ? 0 : current.modRevision
  return actual === operation.expect ? undefined : new StoreConflict({ key: operation.key, actual })
}

/**
 * A store in memory: values are kept by reference, every call answers before it returns, and watches are delivered
 * through `Timers.soon`, once for each burst of writes.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one map, its history, and the calls of the port.
export const makeMemoryStore = (timers: TimersShape, options: MemoryOptions = {}): StoreShape => {
  const state: MemoryState = { slots: new Map(), keys: new SortedKeys() }
  const history = new History(options.historyRevisions ?? 4096)
  const watchers = new Watchers(history, timers)

  const slotOf = (operation: Operation): Slot | undefined => {
    const place = operation.type === "put" ? operation.place : undefined
    return place instanceof Slot && place.current?.key === operation.key ? place : state.slots.get(operation.key)
  }

  /** Applies an operation and returns its change; undefined for the delete of an absent key, which changes nothing. */
  const applyOperation = (operation: Operation, slot: Slot | undefined, revision: Revision): Change | undefined => {
    const { key } = operation
    const previous = slot?.current
    if (operation.type === "put") {
      if (slot === undefined || previous === undefined) return insert(key, operation.value, revision)
      // A literal of its own: entries of new keys live long, later states of a key do not, and V8 predicts lifetimes by
      // allocation site.
      const entry: Entry = {
        key,
        value: operation.value,
        createRevision: previous.createRevision,
        modRevision: revision
      }
      slot.current = entry
      return { type: "put", entry, previous }
    }
    if (previous === undefined) return undefined
    if (slot !== undefined) slot.current = undefined
    state.slots.delete(key)
    state.keys.delete(key)
    return { type: "delete", key, revision, previous }
  }

  const insert = (key: string, value: StoredValue, revision: Revision): Change => {
    const entry: Entry = { key, value, createRevision: revision, modRevision: revision }
    state.keys.add(key)
    state.slots.set(key, new Slot(entry))
    return { type: "put", entry, previous: undefined }
  }

  const writeOne = (operation: Operation): Result.Result<Revision, StoreConflict> => {
    const slot = slotOf(operation)
    const conflict = conflictOf(operation, slot?.current)
    if (conflict !== undefined) return Result.fail(conflict)
    const change = applyOperation(operation, slot, history.newest + 1)
    if (change !== undefined) history.append(change)
    return Result.succeed(history.newest)
  }

  const writeMany = (batch: ReadonlyArray<Operation>): Result.Result<Revision, StoreConflict | StoreFailure> => {
    history.settleAll()
    const keys = new Set<string>()
    for (const operation of batch) {
      if (keys.has(operation.key)) {
        return Result.fail(new StoreFailure({ message: `a batch may contain a key only once: ${operation.key}` }))
      }
      keys.add(operation.key)
      if (operation.expect === undefined) continue
      const conflict = conflictOf(operation, state.slots.get(operation.key)?.current)
      if (conflict !== undefined) return Result.fail(conflict)
    }
    const revision = history.newest + 1
    const changes: Array<Change> = []
    for (const operation of batch) {
      const change = applyOperation(operation, state.slots.get(operation.key), revision)
      if (change !== undefined) changes.push(change)
    }
    if (changes.length > 0) history.append(changes)
    return Result.succeed(history.newest)
  }

  const quiet = (source: QuietSource): QuietWrites => {
    const number = history.addSource(source)
    return {
      write: (id, timeMs, lastTimeMs, lastRevision) => {
        history.appendQuiet(number, id, timeMs, lastTimeMs, lastRevision)
        watchers.wroteQuietly()
        return history.newest
      },
      settle: (id, value, modRevision) => {
        const slot = source.placeOf(id) as Slot
        const { createRevision, key } = slot.current as Entry
        slot.current = { key, value, createRevision, modRevision }
      },
      release: (id) => history.release(number, id)
    }
  }

  return {
    revision: () => history.newest,
    quiet,
    place: (key) => state.slots.get(key),
    get: (key, reply) => {
      history.settleAll()
      reply(Result.succeed(state.slots.get(key)?.current))
    },
    range: (prefix, rangeOptions, reply) => {
      history.settleAll()
      const at = rangeOptions.revision
      if (at === undefined || at === history.newest)
        return reply(Result.succeed(currentPage(state, history, prefix, rangeOptions)))
      if (at > history.newest) {
        return reply(
          Result.fail(new StoreFailure({ message: `revision ${at} is in the future, the newest is ${history.newest}` }))
        )
      }
      if (at < history.oldest) {
        return reply(Result.fail(new StoreCompacted({ requested: at, oldest: history.oldest })))
      }
      reply(Result.succeed(pageFromHistory(state, history, prefix, rangeOptions, at)))
    },
    write: (batch, reply) => {
      const before = history.newest
      const result = batch.length === 1 ? writeOne(batch[0] as Operation) : writeMany(batch)
      if (history.newest !== before) watchers.schedule()
      reply(result)
    },
    watch: (prefix, from, sink) => watchers.add(prefix, from, sink),
    compact: (revision, reply) => {
      history.compact(revision)
      reply(succeedVoid)
    }
  }
}

/** The store in memory as a layer. */
export const layerMemory = (options?: MemoryOptions): Layer.Layer<Store, never, Timers> =>
  Layer.effect(
    Store,
    Effect.map(Timers, (timers) => Store.of(makeMemoryStore(timers, options)))
  )
