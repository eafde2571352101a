import type { KindName, KubeObject, ObjectOf } from "@rollcall/api"
import type { Rng, TimersShape } from "@rollcall/time"
import type { Connection, WatchEvent } from "../Connection.ts"
import type { Informer } from "../Informer.ts"
import { informerOver } from "../Informer.ts"
import { type Indexer, keyOf } from "../ObjectCache.ts"
import { type Feed, Reflector, type ReflectorTarget, type Selection } from "../Reflector.ts"
import { CachedKind } from "./CachedKind.ts"

export interface KindFeedsOptions {
  readonly connection: Connection
  readonly timers: TimersShape
  readonly selection: Selection
  readonly chance: Rng
  readonly failed: ReflectorTarget["failed"]
}

/**
 * One watch of a kind for all that follow it: feeds, which keep of the objects what they need, and informers over one cache, which is
 * there once the first of them is asked for.
 */
export class KindFeeds<K extends KindName> {
  readonly kind: K
  private readonly timers: TimersShape
  private readonly reflector: Reflector
  private readonly feeds = new Set<Feed>()
  private readonly indexUses = new Map<Indexer<ObjectOf<K>>, number>()
  private cached: CachedKind<ObjectOf<K>> | undefined
  private isListed = false

  constructor(kind: K, { chance, connection, failed, selection, timers }: KindFeedsOptions) {
    this.kind = kind
    this.timers = timers
    const target = {
      replace: (objects: ReadonlyArray<KubeObject>) => {
        this.isListed = true
        this.each((feed) => feed.replace(objects))
      },
      apply: (event: WatchEvent) => this.each((feed) => feed.apply(event)),
      failed
    }
    this.reflector = new Reflector(connection, timers, kind, selection, target, chance)
  }

  /** True once the first list has been handed to all. */
  readonly hasSynced = (): boolean => this.isListed && this.cached?.synced !== false

  start(): void {
    this.reflector.start()
  }

  stop(): void {
    this.reflector.stop()
    this.cached?.silence()
    this.feeds.clear()
  }

  /** Feeds all objects, and each change; returns what ends that. */
  join(feed: Feed): () => void {
    this.feeds.add(feed)
    if (this.isListed) {
      // What nobody has cached is listed anew, for all.
      if (this.cached === undefined) this.reflector.relist()
      else if (this.cached.synced) this.tell(feed, (one) => one.replace(this.cached?.cache.list() ?? []))
    }
    return () => void this.feeds.delete(feed)
  }

  /** An informer with look-ups of its own. */
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
    const made = new CachedKind<ObjectOf<K>>([], (source, error, object) =>
      this.timers.handleError(source, error, { kind: this.kind, object: keyOf(object) })
    )
    this.join(made)
    this.cached = made
    return made
  }

  /** The same function is the same index for all controllers. */
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

  private each(act: (feed: Feed) => void): void {
    for (const feed of this.feeds) this.tell(feed, act)
  }

  /** One that throws keeps no other from hearing. */
  private tell(feed: Feed, act: (feed: Feed) => void): void {
    try {
      act(feed)
    } catch (error) {
      this.timers.handleError("reflector", error, { kind: this.kind })
    }
  }
}
