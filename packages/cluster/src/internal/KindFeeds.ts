import type { KindName, KubeObject, ObjectOf } from "@rollcall/api"
import type { Rng, TimersShape } from "@rollcall/time"
import type { Connection, WatchEvent } from "../Connection.ts"
import type { HeartbeatColumns } from "../heartbeats/HeartbeatColumns.ts"
import type { Informer } from "../Informer.ts"
import { informerOver } from "../Informer.ts"
import { type Indexer, keyOf } from "../ObjectCache.ts"
import { type Feed, Reflector, type ReflectorTarget, type Selection } from "../Reflector.ts"
import { CachedKind } from "./CachedKind.ts"

export interface KindFeedsOptions {
  readonly connection: Connection
  readonly timers: TimersShape
  readonly selection: Selection
  readonly random: Rng
  readonly failed: ReflectorTarget["failed"]
}

/**
 * One watch of a kind for all its consumers: feeds, which keep only the part of the objects that they need, and
 * informers over one cache, which is created for the first informer.
 */
export class KindFeeds<K extends KindName> {
  readonly kind: K
  private readonly timers: TimersShape
  private readonly reflector: Reflector
  private readonly feeds = new Set<Feed>()
  private readonly indexUses = new Map<Indexer<ObjectOf<K>>, number>()
  private cached: CachedKind<ObjectOf<K>> | undefined
  private isListed = false
  private columns: HeartbeatColumns | undefined

  constructor(kind: K, { random, connection, failed, selection, timers }: KindFeedsOptions) {
    this.kind = kind
    this.timers = timers
    const target = {
      replace: (objects: ReadonlyArray<KubeObject>) => {
        this.isListed = true
        this.callAll((feed) => feed.replace(objects))
      },
      apply: (event: WatchEvent) => this.callAll((feed) => feed.apply(event)),
      acceptsHeartbeats: this.acceptsHeartbeats,
      heartbeatsChanged: this.heartbeatsChanged,
      failed
    }
    this.reflector = new Reflector(connection, timers, kind, selection, target, random)
  }

  /** True once the first list has been handed to all consumers. */
  readonly hasSynced = (): boolean => this.isListed && this.cached?.synced !== false

  start(): void {
    this.reflector.start()
  }

  stop(): void {
    this.reflector.stop()
    this.cached?.removeHandlers()
    this.feeds.clear()
  }

  private readonly acceptsHeartbeats = (): boolean =>
    [...this.feeds].every((feed) => feed.acceptsHeartbeats?.() === true)

  private readonly heartbeatsChanged = (columns: HeartbeatColumns | undefined): void => {
    this.columns = columns
    for (const feed of this.feeds) feed.heartbeatsChanged?.(columns)
  }

  /** Adds a feed for all objects, and each change; returns a function that removes it. */
  join(feed: Feed): () => void {
    if (this.columns !== undefined) {
      if (feed.acceptsHeartbeats?.() === true) feed.heartbeatsChanged?.(this.columns)
      else this.columns.block()
    }
    this.feeds.add(feed)
    if (this.isListed) {
      // Without a cache, the kind is listed again, for all feeds.
      if (this.cached === undefined) this.reflector.relist()
      else if (this.cached.synced) this.callFeed(feed, (one) => one.replace(this.cached?.cache.list() ?? []))
    }
    return () => void this.feeds.delete(feed)
  }

  /** Returns an informer with its own indexes. */
  informer(indexes: Readonly<Record<string, Indexer<ObjectOf<K>>>>): {
    readonly informer: Informer<K>
    readonly release: () => void
  } {
    const cached = this.cache()
    for (const indexer of Object.values(indexes)) this.useIndex(cached, indexer, 1)
    return {
      informer: informerOver(this.kind, this.timers, cached, this.reflector, (name) => indexes[name]),
      release: () => {
        for (const indexer of Object.values(indexes)) this.useIndex(cached, indexer, -1)
      }
    }
  }

  private cache(): CachedKind<ObjectOf<K>> {
    if (this.cached !== undefined) return this.cached
    const created = new CachedKind<ObjectOf<K>>([], (source, error, object) =>
      this.timers.handleError(source, error, { kind: this.kind, object: keyOf(object) })
    )
    this.join(created)
    this.cached = created
    return created
  }

  /** Indexes are shared by function: the same function is one index for all controllers. */
  private useIndex(cached: CachedKind<ObjectOf<K>>, indexer: Indexer<ObjectOf<K>>, change: 1 | -1): void {
    const before = this.indexUses.get(indexer) ?? 0
    const uses = before + change
    if (uses === 0) {
      this.indexUses.delete(indexer)
      cached.cache.removeIndex(indexer)
      return
    }
    if (before === 0) cached.addIndex(indexer, indexer)
    this.indexUses.set(indexer, uses)
  }

  private callAll(act: (feed: Feed) => void): void {
    for (const feed of this.feeds) this.callFeed(feed, act)
  }

  /** An error that one feed throws does not keep the others from being called. */
  private callFeed(feed: Feed, act: (feed: Feed) => void): void {
    try {
      act(feed)
    } catch (error) {
      this.timers.handleError("reflector", error, { kind: this.kind })
    }
  }
}
