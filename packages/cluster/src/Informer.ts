import type { KindName, KubeObject, ObjectOf } from "@rollcall/api"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Chance, nextChance } from "./Chance.ts"
import { Cluster } from "./Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { componentLog } from "./ComponentLog.ts"
import type { Connection, WatchEvent } from "./Connection.ts"
import { type Indexer, keyOf, ObjectCache, splitKey } from "./ObjectCache.ts"
import { Reflector, type Selection } from "./Reflector.ts"
import { type WatchStage, watchFailureLine } from "./WatchFailure.ts"

/**
 * What to do as objects come, change and go. Called synchronously, in order, after the cache has changed. A call that throws is
 * handed to `handleError`; the other handlers, and this one's next calls, go on.
 * Upstream: client-go/tools/cache/shared_informer.go, processorListener.run.
 */
export interface InformerHandler<A> {
  readonly onAdd?: (object: A, isInInitialList: boolean) => void
  /** Not called for a relist that found the same resourceVersion. */
  readonly onUpdate?: (old: A, object: A) => void
  /** The last state known: that of the DELETED event, or the cached one when a relist no longer has the object. */
  readonly onDelete?: (last: A) => void
}

export interface InformerOptions<A> extends Selection {
  /** Look-ups by something other than the name: `{ nodeName: (pod) => pod.spec?.nodeName }`. Under none where one throws. */
  readonly indexes?: Readonly<Record<string, Indexer<A>>>
  readonly handlers?: ReadonlyArray<InformerHandler<A>>
  /** Told of each failed list or watch; the informer goes on by itself. Absent: `Informer.make` logs it. */
  readonly onError?: (error: ClusterError, stage: WatchStage) => void
}

/** A local copy of one kind, kept by a watch: reads cost a map look-up and no request. */
export interface Informer<K extends KindName> {
  readonly kind: K
  /** By `namespace/name`, or the name of a cluster-scoped object. */
  readonly get: (key: string) => ObjectOf<K> | undefined
  /** As `get`, without making and splitting a key. */
  readonly find: (name: string, namespace?: string) => ObjectOf<K> | undefined
  /** All objects, in the order in which they came. A new array. */
  readonly list: () => Array<ObjectOf<K>>
  /** The objects whose index `name` has this value. A new array. */
  readonly byIndex: (name: string, value: string) => Array<ObjectOf<K>>
  readonly size: () => number
  /** Adds a handler, and tells it of all that is cached now; returns what takes it off again. */
  readonly addHandler: (handler: InformerHandler<ObjectOf<K>>) => () => void
  /** True once the first list is in the cache and handled. */
  readonly hasSynced: () => boolean
  /** Waits for that. */
  readonly synced: Effect.Effect<void>
  readonly lastResourceVersion: () => string
}

/** An informer for plain code, which starts and stops it. */
export interface PlainInformer<K extends KindName> extends Informer<K> {
  readonly start: () => void
  /** Ends the watch for good; the cache keeps what it has, and no handler is called any more. */
  readonly stop: () => void
}

/** Told with what a handler or an index threw, and the object that it was about. */
type Failed<A> = (source: "informer handler" | "informer index", error: unknown, object: A) => void

/** An index that puts an object which it cannot read under no value, and tells of it once. */
const safeIndex = <A extends KubeObject>(indexer: Indexer<A>, failed: Failed<A>): Indexer<A> => {
  const told = new WeakSet<A>()
  return (object) => {
    try {
      return indexer(object)
    } catch (error) {
      if (!told.has(object)) failed("informer index", error, object)
      told.add(object)
      return undefined
    }
  }
}

class Cached<A extends KubeObject> {
  readonly cache: ObjectCache<A>
  readonly waiting: Array<() => void> = []
  readonly failed: Failed<A>
  handlers: ReadonlyArray<InformerHandler<A>>
  synced = false

  constructor(
    indexes: Readonly<Record<string, Indexer<A>>>,
    handlers: ReadonlyArray<InformerHandler<A>>,
    failed: Failed<A>
  ) {
    this.cache = new ObjectCache(
      Object.fromEntries(Object.entries(indexes).map(([name, indexer]) => [name, safeIndex(indexer, failed)]))
    )
    this.handlers = handlers
    this.failed = failed
  }

  readonly apply = (event: WatchEvent): void => {
    if (event.type === "DELETED") this.gone(event.object as A)
    else if (event.type !== "ERROR") this.upsert(event.object as A, false)
  }

  readonly replace = (objects: ReadonlyArray<KubeObject>): void => {
    const listed = new Set<string>()
    const before = this.cache.list()
    for (const object of objects) {
      if (before.length > 0) listed.add(identity(object))
      this.upsert(object as A, true)
    }
    for (const object of before) if (!listed.has(identity(object))) this.gone(object)
    if (this.synced) return
    this.synced = true
    for (const resume of this.waiting.splice(0)) resume()
  }

  private upsert(object: A, isListed: boolean): void {
    const old = this.cache.set(object)
    const { handlers } = this
    if (old === undefined) {
      for (const handler of handlers) this.added(handler, object, !this.synced)
    } else if (!isListed || !isSame(old, object)) {
      for (const handler of handlers) {
        try {
          handler.onUpdate?.(old, object)
        } catch (error) {
          this.failed("informer handler", error, object)
        }
      }
    }
  }

  added(handler: InformerHandler<A>, object: A, isInInitialList: boolean): void {
    try {
      handler.onAdd?.(object, isInInitialList)
    } catch (error) {
      this.failed("informer handler", error, object)
    }
  }

  private gone(last: A): void {
    const { name = "", namespace = "" } = last.metadata
    if (this.cache.delete(name, namespace) === undefined) return
    for (const handler of this.handlers) {
      try {
        handler.onDelete?.(last)
      } catch (error) {
        this.failed("informer handler", error, last)
      }
    }
  }
}

/** A relist repeats what is cached already. */
const isSame = (old: KubeObject, object: KubeObject): boolean =>
  old === object ||
  (object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion === old.metadata.resourceVersion)

const identity = ({ metadata: { name = "", namespace = "" } }: KubeObject): string => `${namespace}/${name}`

/**
 * A plain informer over a connection. `chance` draws the jitter of its back-off.
 * Upstream: client-go/tools/cache/shared_informer.go, with the handlers called in place.
 */
export const makeInformer = <K extends KindName>(
  connection: Connection,
  timers: TimersShape,
  chance: Chance,
  kind: K,
  options: InformerOptions<ObjectOf<K>> = {}
): PlainInformer<K> => {
  const { handlers = [], indexes = {}, onError, ...selection } = options
  const store = new Cached<ObjectOf<K>>(indexes, handlers, (source, error, object) =>
    timers.handleError(source, error, { kind, object: keyOf(object) })
  )
  const reflector = new Reflector(
    connection,
    timers,
    kind,
    selection,
    { apply: store.apply, replace: store.replace, failed: (error, stage) => onError?.(error, stage) },
    chance
  )
  return {
    kind,
    get: (key) => {
      const { name, namespace } = splitKey(key)
      return store.cache.get(name, namespace)
    },
    find: (name, namespace = "") => store.cache.get(name, namespace),
    list: () => store.cache.list(),
    byIndex: (name, value) => store.cache.byIndex(name, value),
    size: () => store.cache.size,
    addHandler: (handler) => {
      store.handlers = [...store.handlers, handler]
      for (const object of store.cache.list()) store.added(handler, object, true)
      return () => {
        store.handlers = store.handlers.filter((other) => other !== handler)
      }
    },
    hasSynced: () => store.synced,
    synced: Effect.callback<void>((resume) => {
      if (store.synced) resume(Effect.void)
      else store.waiting.push(() => timers.soon(() => resume(Effect.void)))
    }),
    lastResourceVersion: () => reflector.lastRevision,
    start: () => reflector.start(),
    stop: () => {
      reflector.stop()
      store.handlers = []
    }
  }
}

/** Told of each informer that is started; returns what to do when it ends. */
export type InformerFollower = (informer: { readonly kind: KindName; readonly hasSynced: () => boolean }) => () => void

/** Follows the informers of a program, for its readiness. */
export const CurrentInformerFollower = Context.Reference<InformerFollower>(
  "@rollcall/cluster/CurrentInformerFollower",
  { defaultValue: () => () => () => undefined }
)

export const Informer = {
  /** Starts an informer that ends with the scope. Reads its jitter's seed from Effect's Random. */
  make: <K extends KindName>(
    kind: K,
    options: InformerOptions<ObjectOf<K>> = {}
  ): Effect.Effect<Informer<K>, never, Cluster | Timers | Scope.Scope> =>
    Effect.gen(function* () {
      const { connection } = yield* Cluster
      const timers = yield* Timers
      const log = yield* componentLog
      const onError = (error: ClusterError, stage: WatchStage) => {
        const { fields, message, severity } = watchFailureLine(stage, kind, error)
        log(severity, message, fields)
      }
      const informer = makeInformer(connection, timers, yield* nextChance, kind, { onError, ...options })
      const follow = yield* CurrentInformerFollower
      yield* Effect.acquireRelease(Effect.sync(informer.start), () => Effect.sync(informer.stop))
      yield* Effect.acquireRelease(
        Effect.sync(() => follow(informer)),
        (unfollow) => Effect.sync(unfollow)
      )
      return informer
    })
}
