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

/** What a controller needs from the cache of a kind. */
export interface InformerRequest<K extends KindName> extends Selection {
  /** The controller's own indexes; another controller may use the same names for different ones. */
  readonly indexes?: Readonly<Record<string, Indexer<ObjectOf<K>>>>
  readonly handlers?: ReadonlyArray<InformerHandler<ObjectOf<K>>>
  /** Draws the jitter; by default, a sequence seeded from Effect's Random. */
  readonly random?: Rng
}

export interface InformersShape {
  /** Returns the informer of a kind. Its indexes and handlers are removed with the scope. */
  readonly get: <K extends KindName>(
    kind: K,
    request?: InformerRequest<K>
  ) => Effect.Effect<Informer<K>, never, Cluster | Timers | Scope.Scope>
  /**
   * Feeds all objects of a kind, and each change, to a consumer that keeps only the part it needs. Ends with the scope.
   * `random` draws the jitter.
   */
  readonly follow: (
    kind: KindName,
    feed: Feed,
    random: Rng
  ) => Effect.Effect<void, never, Cluster | Timers | Scope.Scope>
}

/** Starts a watch of a kind that ends with the scope. */
const startFeeds = Effect.fnUntraced(function* <K extends KindName>(
  kind: K,
  selection: Selection,
  random: Rng,
  connection: Connection,
  timers: TimersShape
) {
  const failed = watchFailureLog(yield* componentLog, kind)
  const follow = yield* CurrentInformerFollower
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      const feeds = new KindFeeds(kind, { connection, timers, selection, random, failed })
      return { feeds, unfollow: follow(feeds) }
    }),
    ({ feeds, unfollow }) =>
      Effect.sync(() => {
        feeds.stop()
        unfollow()
      })
  ).pipe(Effect.map(({ feeds }) => feeds))
})

/** Implements `follow` where nothing is shared. */
const followAlone: InformersShape["follow"] = Effect.fnUntraced(function* (kind, feed, random) {
  const { connection } = yield* Cluster
  const feeds = yield* startFeeds(kind, {}, random, connection, yield* Timers)
  feeds.join(feed)
  feeds.start()
})

/**
 * The source of controllers' caches: by default each controller has its own informer, through the Cluster service.
 * Upstream: client-go/informers/factory.go, SharedInformerFactory.
 */
export const Informers = Context.Reference<InformersShape>("@rollcall/cluster/Informers", {
  defaultValue: () => ({ get: (kind, request = {}) => Informer.make(kind, request), follow: followAlone })
})

/**
 * Shares one watch for each kind and selection, and one cache of it where a controller needs one, among all controllers
 * over this layer. It uses the Cluster service, which should have no rate limit. The watch of a kind starts with the
 * first controller that needs it.
 */
export const layerSharedInformers: Layer.Layer<never, never, Cluster | Timers> = Layer.effect(
  Informers,
  Effect.gen(function* () {
    const { connection } = yield* Cluster
    const timers = yield* Timers
    const scope = yield* Effect.scope
    const shared = new Map<string, KindFeeds<KindName>>()
    let seed: number | undefined
    // Draws once for each request without `random`, as a separate informer does, so that sharing informers does not change
    // the numbers that other users of Effect's Random draw.
    const drawSeed = Effect.map(Random.nextInt, (drawn) => {
      seed ??= drawn
    })
    const feedsOf = Effect.fnUntraced(function* <K extends KindName>(kind: K, selection: Selection) {
      const { fieldSelector = "", labelSelector = "", namespace = "" } = selection
      const name = [kind, namespace, labelSelector, fieldSelector].join(" ")
      const known = shared.get(name) as unknown as KindFeeds<K> | undefined
      if (known !== undefined) return known
      if (seed === undefined) yield* drawSeed
      // The sequence is seeded by name, so that it does not depend on which controllers there are, or which comes
      // first.
      const random = rngFor(seed ?? 0, `informer ${name}`)
      const started = yield* startFeeds(kind, selection, random, connection, timers).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
      shared.set(name, started as unknown as KindFeeds<KindName>)
      return started
    })
    const get = Effect.fnUntraced(function* <K extends KindName>(
      kind: K,
      { random, handlers = [], indexes = {}, ...selection }: InformerRequest<K> = {}
    ) {
      if (random === undefined) yield* drawSeed
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
