import type { KindName, ObjectOf } from "@rollcall/api"
import { nextRng, type Rng, Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Cluster } from "./Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { componentLog } from "./ComponentLog.ts"
import type { Connection } from "./Connection.ts"
import type { InformerHandler } from "./InformerHandler.ts"
import { CachedKind } from "./internal/CachedKind.ts"
import { type Indexer, keyOf, splitKey } from "./ObjectCache.ts"
import { Reflector, type Selection } from "./Reflector.ts"
import { type WatchStage, watchFailureLog } from "./WatchFailure.ts"

export interface InformerOptions<A> extends Selection {
  /**
   * Indexes by something other than the name: `{ nodeName: (pod) => pod.spec?.nodeName }`. An object for which the
   * function throws is in no value of the index.
   */
  readonly indexes?: Readonly<Record<string, Indexer<A>>>
  readonly handlers?: ReadonlyArray<InformerHandler<A>>
  /** Called for each failed list or watch; the informer retries by itself. By default, `Informer.make` logs the error. */
  readonly onError?: (error: ClusterError, stage: WatchStage) => void
}

/** A local cache of one kind, kept current by a watch: a read costs a map look-up and no request. */
export interface Informer<K extends KindName> {
  readonly kind: K
  /** Returns the object by `namespace/name`, or by the name of a cluster-scoped object. */
  readonly get: (key: string) => ObjectOf<K> | undefined
  /** Returns the object by name and namespace, which saves making and splitting a key. */
  readonly find: (name: string, namespace?: string) => ObjectOf<K> | undefined
  /** Returns all objects, in the order of their arrival, in a new array. */
  readonly list: () => Array<ObjectOf<K>>
  /** Returns the objects whose index `name` has this value, in a new array. */
  readonly byIndex: (name: string, value: string) => Array<ObjectOf<K>>
  readonly size: () => number
  /** Adds a handler and calls its `onAdd` for everything cached now; returns a function that removes it. */
  readonly addHandler: (handler: InformerHandler<ObjectOf<K>>) => () => void
  /** True once the first list is cached and its handlers have run. */
  readonly hasSynced: () => boolean
  /** Waits until `hasSynced` is true. */
  readonly synced: Effect.Effect<void>
  readonly lastResourceVersion: () => string
}

/** An informer for plain code, which starts and stops it itself. */
export interface PlainInformer<K extends KindName> extends Informer<K> {
  readonly start: () => void
  /** Ends the watch for good; the cache keeps its contents, and no handler is called afterwards. */
  readonly stop: () => void
}

/**
 * Makes a plain informer over a connection. `random` draws the jitter of its back-off. Upstream:
 * client-go/tools/cache/shared_informer.go, with the handlers called in place.
 */
export const makeInformer = <K extends KindName>(
  connection: Connection,
  timers: TimersShape,
  random: Rng,
  kind: K,
  options: InformerOptions<ObjectOf<K>> = {}
): PlainInformer<K> => {
  const { handlers = [], indexes = {}, onError, ...selection } = options
  const cachedKind = new CachedKind<ObjectOf<K>>(handlers, (source, error, object) =>
    timers.handleError(source, error, { kind, object: keyOf(object) })
  )
  for (const [name, indexer] of Object.entries(indexes)) cachedKind.addIndex(name, indexer)
  const reflector = new Reflector(
    connection,
    timers,
    kind,
    selection,
    {
      apply: cachedKind.apply,
      replace: cachedKind.replace,
      acceptsHeartbeats: cachedKind.acceptsHeartbeats,
      heartbeatsChanged: cachedKind.heartbeatsChanged,
      failed: (error, stage) => onError?.(error, stage)
    },
    random
  )
  return {
    ...informerOver(kind, timers, cachedKind, reflector, (name) => name),
    start: () => reflector.start(),
    stop: () => {
      reflector.stop()
      cachedKind.removeHandlers()
    }
  }
}

/** Called for each informer that is started; returns a function to call when it ends. */
export type InformerFollower = (informer: { readonly kind: KindName; readonly hasSynced: () => boolean }) => () => void

/** Tracks the informers of a program, for its readiness. */
export const CurrentInformerFollower = Context.Reference<InformerFollower>(
  "@rollcall/cluster/CurrentInformerFollower",
  { defaultValue: () => () => () => undefined }
)

export const Informer = {
  /**
   * Starts an informer that ends with the scope. Its jitter's seed is drawn from Effect's Random, unless `random` is
   * given.
   */
  make: <K extends KindName>(
    kind: K,
    { random, ...options }: InformerOptions<ObjectOf<K>> & { readonly random?: Rng } = {}
  ): Effect.Effect<Informer<K>, never, Cluster | Timers | Scope.Scope> =>
    Effect.gen(function* () {
      const { connection } = yield* Cluster
      const timers = yield* Timers
      const onError = watchFailureLog(yield* componentLog, kind)
      const informer = makeInformer(connection, timers, random ?? (yield* nextRng), kind, { onError, ...options })
      const follow = yield* CurrentInformerFollower
      yield* Effect.acquireRelease(Effect.sync(informer.start), () => Effect.sync(informer.stop))
      yield* Effect.acquireRelease(
        Effect.sync(() => follow(informer)),
        (unfollow) => Effect.sync(unfollow)
      )
      return informer
    })
}

/**
 * Makes the read side of an informer over a cache; `indexKey` maps an index name to the cache's own key of that index.
 */
export const informerOver = <K extends KindName>(
  kind: K,
  { soon }: Pick<TimersShape, "soon">,
  cachedKind: CachedKind<ObjectOf<K>>,
  reflector: Pick<Reflector, "lastRevision">,
  indexKey: (name: string) => unknown
): Informer<K> => ({
  kind,
  get: (key) => {
    const { name, namespace } = splitKey(key)
    return cachedKind.find(name, namespace)
  },
  find: (name, namespace = "") => cachedKind.find(name, namespace),
  list: () => cachedKind.cache.list(),
  byIndex: (name, value) => cachedKind.cache.byIndex(indexKey(name), value),
  size: () => cachedKind.size,
  addHandler: (handler) => cachedKind.addHandler(handler),
  hasSynced: () => cachedKind.synced,
  synced: Effect.callback<void>((resume) => {
    if (cachedKind.synced) resume(Effect.void)
    else cachedKind.whenSynced(() => soon(() => resume(Effect.void)))
  }),
  lastResourceVersion: () => reflector.lastRevision
})
