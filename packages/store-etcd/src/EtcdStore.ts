import { type Revision, Store, StoreFailure, type StoreShape, type StoreSink } from "@rollcall/store"
import { guarded, Timers, type TimersShape } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { compactRegularly } from "./internal/compactRegularly.ts"
import { type Call, Endpoints, type EtcdTls } from "./internal/Endpoints.ts"
import { entryOf } from "./internal/entries.ts"
import { Follower } from "./internal/Follower.ts"
import { etcdKeyOf, type KeySpace, rangeOf } from "./internal/keys.ts"
import { Leases } from "./internal/Leases.ts"
import { ask, type ReaderParts, readFailure, readRange, revisionOf } from "./internal/readRange.ts"
import { CLOSED, Writer } from "./internal/Writer.ts"

export type { EtcdTls } from "./internal/Endpoints.ts"

export interface EtcdOptions {
  /** The URLs of the members of one etcd: `http://127.0.0.1:2379`. One is used until it fails, then the next. */
  readonly endpoints: ReadonlyArray<string>
  /** The keys and certificates for `https:` URLs. */
  readonly tls?: EtcdTls
  /** What stands in etcd's keys for `root`. Default: "". */
  readonly prefix?: string
  /** What all keys of the store begin with. Default: "". */
  readonly root?: string
  /** How long a read or a write may take, with all its attempts. Default 10 seconds. */
  readonly timeoutMs?: number
  /** How long to try to reach etcd before the store fails to open. Default 20 seconds, as kube-apiserver's client. */
  readonly dialTimeoutMs?: number
  /**
   * How often the history before the last time is compacted; 0 for never. API servers of one etcd share the work. Default
   * five minutes (`--etcd-compaction-interval`).
   */
  readonly compactionIntervalMs?: number
  /**
   * Whether each write waits for the one before it. By default only writes of the same key do, so that many share one
   * fsync of etcd.
   */
  readonly isOrdered?: boolean
}

/** What the parts of a store share. */
interface Shared extends ReaderParts {
  readonly timers: TimersShape
  readonly followers: Set<Follower>
  readonly run: (effect: Effect.Effect<void>) => void
  newest: Revision
  /** The oldest revision that can be read. */
  oldest: Revision
  isClosed: boolean
}

const closed = new StoreFailure({ message: CLOSED })

/** Runs an effect, and answers with its result; what the reply throws ends only that request. */
const answerWith = <A, E>(
  { isClosed, run, timers }: Shared,
  effect: Effect.Effect<A, E | StoreFailure>,
  reply: (result: Result.Result<A, E | StoreFailure>) => void
) => {
  if (isClosed) return reply(Result.fail(closed))
  let result: Result.Result<A, E | StoreFailure> = Result.fail(closed)
  const done = Effect.map(Effect.result(effect), (answer) => {
    result = answer
  })
  run(
    Effect.ensuring(
      done,
      Effect.sync(() => void guarded(timers, "store reply", () => reply(result)))
    )
  )
}

const readOne = (shared: Shared, key: string) => {
  const etcdKey = etcdKeyOf(shared.space, key)
  if (etcdKey === undefined) return Effect.succeed(undefined)
  return ask(shared, { key: etcdKey }).pipe(
    Effect.map(({ kvs: [kv] }) => kv && entryOf(key, kv)),
    Effect.mapError((failure) => readFailure(shared, failure))
  )
}

/** Reads no key: the answer's header has the newest revision. */
const readRevision = (shared: ReaderParts) =>
  ask(shared, { key: Uint8Array.of(0), countOnly: true }).pipe(
    Effect.map(revisionOf),
    Effect.mapError((failure) => readFailure(shared, failure))
  )

/**
 * Compacts etcd at a revision, which is the last one that it can still read. The store promises one less, so that the
 * first change of a watch has its previous state.
 */
const compactAt = (shared: Shared, revision: Revision): Effect.Effect<void, StoreFailure> => {
  const { endpoints, timeoutMs } = shared
  const send: Call<unknown>["send"] = ({ compact }, options) => compact({ revision: BigInt(revision) }, options)
  return endpoints.ask({ timeoutMs, isRepeatable: true, send }).pipe(
    Effect.catchIf(
      ({ type }) => type === "compacted",
      () => Effect.void
    ),
    Effect.mapError((failure) => readFailure(shared, failure)),
    Effect.andThen(
      Effect.sync(() => {
        shared.oldest = Math.max(shared.oldest, revision + 1)
      })
    )
  )
}

const compactBefore = (shared: Shared, revision: Revision): Effect.Effect<void, StoreFailure> =>
  Effect.suspend(() => {
    const until = Math.min(revision, shared.newest)
    return until <= shared.oldest || until < 2 ? Effect.void : compactAt(shared, until - 1)
  })

const watchFrom = (shared: Shared, prefix: string, from: Revision, sink: StoreSink): (() => void) => {
  const { followers, run, space } = shared
  const range = rangeOf(space, prefix)
  // A key outside of the space is never written.
  if (range === undefined) return () => {}
  const follower = new Follower(
    {
      ...shared,
      sawCompaction: (oldest) => {
        shared.oldest = Math.max(shared.oldest, oldest)
      }
    },
    range,
    from,
    sink
  )
  followers.add(follower)
  const isTooOld = from < shared.oldest - 1
  const follow = isTooOld
    ? Effect.ignore(
        Effect.andThen(
          Effect.yieldNow,
          Effect.suspend(() => follower.end(shared.oldest))
        )
      )
    : follower.run
  run(
    Effect.ensuring(
      follow,
      Effect.sync(() => followers.delete(follower))
    )
  )
  return () => {
    follower.cancel()
    followers.delete(follower)
  }
}

const storeOf = (shared: Shared, writer: Writer): StoreShape => ({
  revision: () => shared.newest,
  expires: true,
  current: (reply) => answerWith(shared, readRevision(shared), reply),
  get: (key, reply) => answerWith(shared, readOne(shared, key), reply),
  range: (keys, options, reply) =>
    answerWith(
      shared,
      readRange(shared, keys, options, () => shared.oldest),
      reply
    ),
  write: (batch, reply) => writer.write(batch, reply),
  watch: (keys, from, sink) => watchFrom(shared, keys, from, sink),
  compact: (revision, reply) => answerWith(shared, compactBefore(shared, revision), reply)
})

/**
 * Opens a store in etcd until the scope closes. Its revisions are etcd's. A write that is retried is not written twice:
 * only one that expects a revision is sent again when it is not known whether an earlier attempt was carried out.
 */
export const openEtcdStore = Effect.fnUntraced(
  function* (options: EtcdOptions): Effect.fn.Return<StoreShape, StoreFailure, Timers | Scope.Scope> {
    const {
      compactionIntervalMs = 300_000,
      dialTimeoutMs = 20_000,
      prefix = "",
      root = "",
      timeoutMs = 10_000
    } = options
    const timers = yield* Timers
    const endpoints = yield* Effect.acquireRelease(
      Effect.sync(() => new Endpoints(options.endpoints, options.tls ?? {})),
      (opened) => Effect.sync(() => opened.close())
    )
    const fork = yield* FiberSet.makeRuntime<never, void, never>()
    const space: KeySpace = { prefix, root }
    const shared: Shared = {
      endpoints,
      space,
      timeoutMs,
      timers,
      followers: new Set(),
      run: (effect) => void fork(effect),
      newest: 0,
      oldest: 0,
      isClosed: false,
      sawRevision: (revision) => {
        shared.newest = Math.max(shared.newest, revision)
        for (const follower of shared.followers) {
          const asking = follower.awaiting(shared.newest)
          if (asking !== undefined) fork(asking)
        }
      }
    }
    yield* readRevision({ ...shared, timeoutMs: dialTimeoutMs })
    const writer = new Writer({
      ...shared,
      leases: new Leases(endpoints, timeoutMs),
      isOrdered: options.isOrdered ?? false,
      answer: (call) => void guarded(timers, "store reply", call)
    })
    if (compactionIntervalMs > 0) {
      fork(compactRegularly(endpoints, compactionIntervalMs, timeoutMs, (revision) => compactAt(shared, revision)))
    }
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.sync(() => {
          shared.isClosed = true
        }),
        writer.close
      )
    )
    return storeOf(shared, writer)
  },
  Effect.provideService(Clock.Clock, Context.get(Context.empty(), Clock.Clock))
)

/** The store in etcd as a layer. */
export const layerEtcd = (options: EtcdOptions): Layer.Layer<Store, StoreFailure, Timers> =>
  Layer.effect(Store, Effect.map(openEtcdStore(options), Store.of))
