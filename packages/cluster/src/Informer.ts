import type { KindName, KubeObject, ObjectOf } from "@rollcall/api"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Chance, nextChance } from "./Chance.ts"
import { Cluster } from "./Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import type { Connection, WatchEvent } from "./Connection.ts"
import { type Indexer, ObjectCache, splitKey } from "./ObjectCache.ts"
import { Reflector, type Selection } from "./Reflector.ts"

/** What to do as objects come, change and go. Called synchronously, in order, after the cache has changed. */
export interface InformerHandler<A> {
  readonly onAdd?: (object: A, isInInitialList: boolean) => void
  /** Not called for a relist that found the same resourceVersion. */
  readonly onUpdate?: (old: A, object: A) => void
  /** The last state known: that of the DELETED event, or the cached one when a relist no longer has the object. */
  readonly onDelete?: (last: A) => void
}

export interface InformerOptions<A> extends Selection {
  /** Look-ups by something other than the name: `{ nodeName: (pod) => pod.spec?.nodeName }`. */
  readonly indexes?: Readonly<Record<string, Indexer<A>>>
  readonly handlers?: ReadonlyArray<InformerHandler<A>>
  /** Told of each failed list or watch; the informer goes on by itself. */
  readonly onError?: (error: ClusterError) => void
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

class Cached<A extends KubeObject> {
  readonly cache: ObjectCache<A>
  readonly waiting: Array<() => void> = []
  handlers: ReadonlyArray<InformerHandler<A>>
  synced = false

  constructor(indexes: Readonly<Record<string, Indexer<A>>>, handlers: ReadonlyArray<InformerHandler<A>>) {
    this.cache = new ObjectCache(indexes)
    this.handlers = handlers
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
      for (const handler of handlers) handler.onAdd?.(object, !this.synced)
    } else if (!isListed || !isSame(old, object)) {
      for (const handler of handlers) handler.onUpdate?.(old, object)
    }
  }

  private gone(last: A): void {
    const { name = "", namespace = "" } = last.metadata
    if (this.cache.delete(name, namespace) === undefined) return
    for (const handler of this.handlers) handler.onDelete?.(last)
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
  const store = new Cached<ObjectOf<K>>(indexes, handlers)
  const reflector = new Reflector(
    connection,
    timers,
    kind,
    selection,
    { apply: store.apply, replace: store.replace, failed: (error) => onError?.(error) },
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
      for (const object of store.cache.list()) handler.onAdd?.(object, true)
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

export const Informer = {
  /** Starts an informer that ends with the scope. Reads its jitter's seed from Effect's Random. */
  make: <K extends KindName>(
    kind: K,
    options: InformerOptions<ObjectOf<K>> = {}
  ): Effect.Effect<Informer<K>, never, Cluster | Timers | Scope.Scope> =>
    Effect.gen(function* () {
      const { connection } = yield* Cluster
      const timers = yield* Timers
      const informer = makeInformer(connection, timers, yield* nextChance, kind, options)
      yield* Effect.acquireRelease(Effect.sync(informer.start), () => Effect.sync(informer.stop))
      return informer
    })
}
