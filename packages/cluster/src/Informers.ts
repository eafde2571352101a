import type { KindName, ObjectOf } from "@rollcall/api"
import { type Rng, rngFor, Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { Cluster } from "./Cluster.ts"
import { componentLog } from "./ComponentLog.ts"
import type { Connection } from "./Connection.ts"
import { CurrentInformerFollower, Informer } from "./Informer.ts"
import type { InformerHandler } from "./InformerHandler.ts"
import { KindFeeds } from "./internal/KindFeeds.ts"
import type { Indexer } from "./ObjectCache.ts"
import type { Feed, Selection } from "./Reflector.ts"
import { watchFailureLog } from "./WatchFailure.ts"

/** What a controller asks of the cache of a kind. */
export interface InformerRequest<K extends KindName> extends Selection {
  /** Look-ups of its own; another controller's of the same name are others. */
  readonly indexes?: Readonly<Record<string, Indexer<ObjectOf<K>>>>
  readonly handlers?: ReadonlyArray<InformerHandler<ObjectOf<K>>>
  /** For jitter; absent: drawn. */
  readonly chance?: Rng
}

export interface InformersShape {
  /** The informer of a kind. What was asked of it ends with the scope. */
  readonly get: <K extends KindName>(
    kind: K,
    request?: InformerRequest<K>
  ) => Effect.Effect<Informer<K>, never, Cluster | Timers | Scope.Scope>
  /**
   * Feeds all objects of a kind, and each change, to what keeps of them only what it needs. Ends with the scope. `chance` is for
   * jitter.
   */
  readonly follow: (
    kind: KindName,
    feed: Feed,
    chance: Rng
  ) => Effect.Effect<void, never, Cluster | Timers | Scope.Scope>
}

/** Begins a watch of a kind, to end with the scope. */
const begin = Effect.fnUntraced(function* <K extends KindName>(
  kind: K,
  selection: Selection,
  chance: Rng,
  connection: Connection,
  timers: TimersShape
) {
  const failed = watchFailureLog(yield* componentLog, kind)
  const followed = yield* CurrentInformerFollower
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      const feeds = new KindFeeds(kind, { connection, timers, selection, chance, failed })
      return { feeds, unfollow: followed(feeds) }
    }),
    ({ feeds, unfollow }) =>
      Effect.sync(() => {
        feeds.stop()
        unfollow()
      })
  ).pipe(Effect.map(({ feeds }) => feeds))
})

/** As `follow` where nothing is shared. */
const followAlone: InformersShape["follow"] = Effect.fnUntraced(function* (kind, feed, chance) {
  const { connection } = yield* Cluster
  const feeds = yield* begin(kind, {}, chance, connection, yield* Timers)
  feeds.join(feed)
  feeds.start()
})

/**
 * Where controllers get their caches from: by default each has its own, through the Cluster at hand.
 * Upstream: client-go/informers/factory.go, SharedInformerFactory.
 */
export const Informers = Context.Reference<InformersShape>("@rollcall/cluster/Informers", {
  defaultValue: () => ({ get: (kind, request = {}) => Informer.make(kind, request), follow: followAlone })
})

/**
 * One watch a kind, or a part of one that is selected, for all controllers over this layer, and one cache of it where one of them
 * wants it; through the Cluster at hand, which should have no limit. A kind is watched from when the first controller asks for it.
 */
export const layerSharedInformers: Layer.Layer<never, never, Cluster | Timers> = Layer.effect(
  Informers,
  Effect.gen(function* () {
    const { connection } = yield* Cluster
    const timers = yield* Timers
    const scope = yield* Effect.scope
    const shared = new Map<string, KindFeeds<KindName>>()
    let seed: number | undefined
    // One draw for each request without a sequence, as for an informer of its own: sharing shifts no other sequence.
    const draw = Effect.map(Random.nextInt, (drawn) => {
      seed ??= drawn
    })
    const feedsOf = Effect.fnUntraced(function* <K extends KindName>(kind: K, selection: Selection) {
      const { fieldSelector = "", labelSelector = "", namespace = "" } = selection
      const name = [kind, namespace, labelSelector, fieldSelector].join(" ")
      const known = shared.get(name) as unknown as KindFeeds<K> | undefined
      if (known !== undefined) return known
      if (seed === undefined) yield* draw
      // By name, so that it does not depend on which controllers there are, or which asks first.
      const chance = rngFor(seed ?? 0, `informer ${name}`)
      const made = yield* begin(kind, selection, chance, connection, timers).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
      shared.set(name, made as unknown as KindFeeds<KindName>)
      return made
    })
    const get = Effect.fnUntraced(function* <K extends KindName>(
      kind: K,
      { chance, handlers = [], indexes = {}, ...selection }: InformerRequest<K> = {}
    ) {
      if (chance === undefined) yield* draw
      const feeds = yield* feedsOf(kind, selection)
      const { informer } = yield* Effect.acquireRelease(
        Effect.sync(() => feeds.informer(indexes)),
        ({ release }) => Effect.sync(release)
      )
      for (const handler of handlers) {
        yield* Effect.acquireRelease(
          Effect.sync(() => informer.addHandler(handler)),
          (remove) => Effect.sync(remove)
        )
      }
      feeds.start()
      return informer
    })
    const follow: InformersShape["follow"] = Effect.fnUntraced(function* (kind, feed) {
      const feeds = yield* feedsOf(kind, {})
      yield* Effect.acquireRelease(
        Effect.sync(() => feeds.join(feed)),
        (leave) => Effect.sync(leave)
      )
      feeds.start()
    })
    return { get, follow }
  })
)
