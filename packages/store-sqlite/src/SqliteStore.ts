import { type Revision, Store, StoreCompacted, StoreFailure, type StoreShape } from "@rollcall/store"
import { currentPage, History, lowerBoundOf, pageFromHistory, pageOfPastState, Watchers } from "@rollcall/store/parts"
import { guarded, type Timer, Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Committer } from "./Committer.ts"
import { CurrentState, entriesOfPast } from "./internal/CurrentState.ts"
import type { CallInput, CallName, Calls } from "./internal/calls.ts"
import { damaged, messageOf } from "./internal/Refusal.ts"
import { Retention } from "./internal/Retention.ts"
import type { Position } from "./internal/rows.ts"
import { type Journal, startJournal } from "./Journal.ts"
import { StoreFileRefused } from "./StoreFileRefused.ts"
import { serveWatch } from "./serveWatch.ts"

export interface SqliteOptions {
  /**
   * Created when missing; its folder must exist. SQLite keeps a `-wal` file beside it, and the store an `-acked` file
   * that records what was acknowledged: a backup must copy all three at the same time.
   */
  readonly file: string
  /** History older than this is compacted. Default five minutes, as kube-apiserver compacts etcd. */
  readonly historyMs?: number
  /** The maximum number of revisions kept as history. Default 100,000. */
  readonly historyRevisions?: number
  /** The maximum size of the values kept as history, in characters. Default 128 Mi. */
  readonly historySize?: number
  /** The number of newest revisions kept in memory for watches; watches of older ones read the file. Default 4,096. */
  readonly recentRevisions?: number
  /** The maximum size of their values in memory, in characters. Default 16 Mi. */
  readonly recentSize?: number
  /**
   * Open the file even if acknowledged writes are missing, and continue without them: the loss is logged, watches from
   * before it end with StoreCompacted, and revisions continue beyond all that were used. Without this option such a file
   * is refused.
   */
  readonly acceptLoss?: boolean
  /**
   * The maximum size of the file in pages of 4 KiB; beyond it writes fail as on a full disk. Default: SQLite's own
   * limit.
   */
  readonly maxPages?: number
}

/** The number of rows in one message from the thread while a file is opened. */
const ROWS_PER_MESSAGE = 2000
/** The number of checks of the history's limits in the time of `historyMs`. */
const RETENTION_CHECKS = 32
/**
 * The interval at which the record of acknowledged writes is flushed to the disk. A power failure can lose only the
 * record of later ones.
 */
const SYNC_INTERVAL_MS = 1000

const unlimited = { ageMs: Number.POSITIVE_INFINITY, revisions: Number.POSITIVE_INFINITY }

/** Makes the store of an opened file whose current state has been loaded. */
const makeStore = (
  journal: Journal,
  state: CurrentState,
  position: Position,
  timers: TimersShape,
  options: SqliteOptions
): { readonly store: StoreShape; readonly close: (done: () => void) => void } => {
  const { file, historyMs = 300_000, historyRevisions = 100_000, historySize = 2 ** 27, recentSize = 2 ** 24 } = options
  const recent = new History(options.recentRevisions ?? 4096, position.revision)
  const watchers = new Watchers(recent, timers)
  const limits = { ageMs: historyMs, revisions: historyRevisions, size: historySize }
  const retention = new Retention(limits, position.compacted, position.revision, timers.now())
  const memoryRetention = new Retention({ ...unlimited, size: recentSize }, position.revision, position.revision, 0)
  let compacted = position.compacted

  const compact = (revision: Revision, reply: Parameters<StoreShape["compact"]>[1]) => {
    const until = Math.min(revision, recent.newest)
    if (until <= compacted) return reply(Result.succeed(undefined))
    compacted = until
    recent.compact(until)
    journal.ask("compact", until, (answer) => {
      if (!answer.ok) return reply(Result.fail(new StoreFailure({ message: answer.message })))
      committer.sweep()
      reply(Result.succeed(undefined))
    })
  }
  const applyRetention = (written: number) => {
    retention.record(recent.newest, written, timers.now())
    const revision = retention.compactBefore(recent.newest, timers.now())
    if (revision !== undefined && revision > compacted) compact(revision, () => {})
  }
  const committer = new Committer({
    file,
    journal,
    state,
    newest: () => recent.newest,
    committed: (changes, size) => {
      for (const batch of changes) recent.append(batch.length === 1 ? (batch[0] as (typeof batch)[0]) : batch)
      memoryRetention.record(recent.newest, size, 0)
      recent.compact(memoryRetention.compactBefore(recent.newest, 0) ?? 0)
      watchers.schedule()
      applyRetention(size)
      syncTimer ??= timers.after(SYNC_INTERVAL_MS, sync)
    }
  })
  let syncTimer: Timer | undefined
  const sync = () => {
    syncTimer = undefined
    journal.ask("sync", undefined, () => {})
  }
  const tickMs = Math.max(1, historyMs / RETENTION_CHECKS)
  const tick = () => {
    guarded(timers, "store history", () => applyRetention(0))
    timer = timers.after(tickMs, tick)
  }
  let timer = timers.after(tickMs, tick)

  const store: StoreShape = {
    revision: () => recent.newest,
    sizeOf: (key) => state.slots.get(key)?.size,
    get: (key, reply) => reply(Result.succeed(state.slots.get(key)?.current)),
    range: (prefix, rangeOptions, reply) => {
      const at = rangeOptions.revision
      if (at === undefined || at === recent.newest) {
        return reply(Result.succeed(currentPage(state, recent, prefix, rangeOptions)))
      }
      if (at > recent.newest) {
        const message = `revision ${at} is in the future, the newest is ${recent.newest}`
        return reply(Result.fail(new StoreFailure({ message })))
      }
      if (at < compacted) return reply(Result.fail(new StoreCompacted({ requested: at, oldest: compacted })))
      if (at >= recent.oldest) return reply(Result.succeed(pageFromHistory(state, recent, prefix, rangeOptions, at)))
      // The thread answers in the order of the calls: `state` is now as the file was for this answer.
      journal.ask("past", { prefix, revision: at }, (answer) => {
        if (!answer.ok) return reply(Result.fail(new StoreFailure({ message: answer.message })))
        const past = entriesOfPast(answer.value, lowerBoundOf(prefix, rangeOptions.after))
        reply(Result.succeed(pageOfPastState(state, past, prefix, rangeOptions, at)))
      })
    },
    write: (batch, reply) => committer.write(batch, reply),
    watch: (prefix, from, sink) =>
      serveWatch({ journal, recent, timers, watchers, compacted: () => compacted }, prefix, from, sink),
    compact
  }
  const close = (done: () => void) => {
    timers.cancel(timer)
    if (syncTimer !== undefined) timers.cancel(syncTimer)
    committer.close(done)
  }
  return { store, close }
}

const askEffect = <K extends CallName>(
  journal: Journal,
  file: string,
  name: K,
  input: CallInput<K>
): Effect.Effect<ReturnType<Calls[K]>, StoreFileRefused> =>
  Effect.callback((resume) =>
    journal.ask(name, input, (answer) =>
      resume(
        answer.ok
          ? Effect.succeed(answer.value)
          : Effect.fail(new StoreFileRefused({ file, reason: answer.reason ?? "unavailable", message: answer.message }))
      )
    )
  )

/** Reads the current state of the file into memory. The thread reads the next rows while these are parsed. */
const loadState = (journal: Journal, file: string, position: Position): Effect.Effect<CurrentState, StoreFileRefused> =>
  Effect.callback((resume) => {
    const state = new CurrentState(position)
    let isRefused = false
    const refuse = (reason: StoreFileRefused["reason"], message: string) => {
      isRefused = true
      resume(Effect.fail(new StoreFileRefused({ file, reason, message })))
    }
    const read = () =>
      journal.ask("currentRows", ROWS_PER_MESSAGE, (answer) => {
        if (isRefused) return
        if (!answer.ok) return refuse(answer.reason ?? "unavailable", answer.message)
        if (answer.value.length === 0) return resume(Effect.succeed(state))
        read()
        try {
          state.load(answer.value)
        } catch (cause) {
          refuse("damaged", damaged(file, messageOf(cause)).message)
        }
      })
    read()
  })

/**
 * Opens a store in the file until the scope closes; no other process can open it meanwhile. Every acknowledged write is
 * on disk (synchronous FULL), concurrent writers share an fsync, and revisions and history continue where they stopped.
 * A write that finds the disk full fails with StoreFailure and changes nothing; reads, and later writes, still work.
 */
export const openSqliteStore = Effect.fnUntraced(function* (
  options: SqliteOptions
): Effect.fn.Return<StoreShape, StoreFileRefused, Timers | Scope.Scope> {
  const { acceptLoss = false, file, maxPages } = options
  const timers = yield* Timers
  const journal = yield* Effect.acquireRelease(Effect.sync(startJournal), ({ stop }) => Effect.promise(stop))
  const { isNewlyMarked, losses, position } = yield* askEffect(journal, file, "open", { acceptLoss, file, maxPages })
  for (const loss of losses) {
    yield* Effect.logWarning("Opened the store without acknowledged writes that are missing from the file").pipe(
      Effect.annotateLogs({ loss, revision: position.revision })
    )
  }
  if (isNewlyMarked && position.revision > 0) {
    yield* Effect.logInfo("Created the file that records acknowledged writes beside the store").pipe(
      Effect.annotateLogs({ file: `${file}-acked`, revision: position.revision })
    )
  }
  const state = yield* loadState(journal, file, position)
  const { close, store } = makeStore(journal, state, position, timers, options)
  yield* Effect.addFinalizer(() => Effect.callback<void>((resume) => close(() => resume(Effect.void))))
  return store
})

/** The store in a SQLite file as a layer. */
export const layerSqlite = (options: SqliteOptions): Layer.Layer<Store, StoreFileRefused, Timers> =>
  Layer.effect(Store, Effect.map(openSqliteStore(options), Store.of))
