import type { KindName, KubeObject } from "@rollcall/api"
import type { Operation, Revision, StoreFailure, StoreShape } from "@rollcall/store"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ServerMetrics } from "../metrics/ServerMetrics.ts"
import { StoreMeter, type StoreOperation } from "../metrics/StoreMeter.ts"
import { watchCacheFamilies } from "../metrics/storageFamilies.ts"
import { Channel } from "../watch/Channel.ts"
import { type Cached, KindCache } from "../watch/KindCache.ts"
import { withResourceVersion } from "../watch/Occurrence.ts"
import { keepWrittenJson } from "../watch/objectJson.ts"
import { batchOf } from "./batchOf.ts"
import { CurrentRevision } from "./CurrentRevision.ts"
import { Expiry } from "./Expiry.ts"
import type { KindDefinition } from "./KindDefinition.ts"
import type { KindState, Placed } from "./KindState.ts"
import { Objects, type StoreReply, setResourceVersion } from "./Objects.ts"
import { type QuietKinds, quietKindsOf } from "./QuietKinds.ts"
import { StoreFeed } from "./StoreFeed.ts"
import type { KindTable } from "./table.ts"
import { copyRevisionAndReply, lastStoredForm, viewState, withStoredForm, writeThroughView } from "./views.ts"

/**
 * The objects of all kinds at the newest revision, over a store. A write is sent to the store with the revision that it
 * replaces, and enters the cache when the store acknowledges it, so that the next request sees it. Writes of other
 * processes to the same store arrive by its watch, which reports the server's own writes as well: each revision is
 * applied once, by the acknowledgement or by the watch, whichever arrives first.
 */
export class Registry {
  /** The kinds of the table. */
  readonly kinds: Readonly<Record<KindName, KindState>>
  /** All served kinds by their names in requests: those of the table, and those added at run time. */
  private readonly byKind: Map<string, KindState>
  private readonly store: StoreShape
  private readonly timers: TimersShape
  private readonly objects: Objects
  private readonly feed: StoreFeed
  readonly current: CurrentRevision
  /** Measures requests to the store; undefined if nothing does. */
  private readonly meter: StoreMeter | undefined
  private readonly metrics: ServerMetrics | undefined
  /** Keeps heartbeats in columns, once `useHeartbeatColumns` is called and the ports allow it. */
  quiet: QuietKinds | undefined
  private readonly observers = new Set<() => void>()

  constructor(store: StoreShape, timers: TimersShape, table: KindTable, metrics?: ServerMetrics) {
    this.store = store
    this.metrics = metrics
    this.meter = metrics && new StoreMeter(metrics)
    this.timers = timers
    this.objects = new Objects(store, timers)
    this.feed = new StoreFeed(this.objects)
    this.current = new CurrentRevision(store, timers.handleError)
    this.kinds = Object.fromEntries(
      Object.entries(table).map(([kind, definition]) => [kind, this.makeState(definition)])
    ) as Record<KindName, KindState>
    this.byKind = new Map(Object.entries(this.kinds))
  }

  /**
   * Allows that heartbeats are kept in columns, if the store and the timers can do that, and that watches are renewed in
   * place and told bookmarks late.
   */
  useHeartbeatColumns(): void {
    this.quiet ??= quietKindsOf(this.kinds, this.objects)
    if (this.timers.numbered !== undefined) this.objects.spareWatches(this.timers.numbered)
  }

  /** Returns a kind by its name in requests. */
  kind(name: string): KindState | undefined {
    return this.byKind.get(name)
  }

  /** Returns all served kinds, those of the table first. */
  states(): IterableIterator<KindState> {
    return this.byKind.values()
  }

  /** Calls back whenever a kind is added or removed, or allows other verbs; returns a function that stops that. */
  observe(changed: () => void): () => void {
    this.observers.add(changed)
    return () => this.observers.delete(changed)
  }

  /**
   * Adds a kind. When `ready` is called, the cache holds the stored objects; until then the kind is not served. An
   * existing key is replaced by the new definition, and its watches end.
   */
  add(definition: KindDefinition, ready: (error: StoreFailure | undefined) => void = () => {}): void {
    const serve = (state: KindState) => {
      this.byKind.get(definition.key)?.channel.close()
      this.byKind.set(definition.key, state)
      this.notifyObservers()
      ready(undefined)
    }
    if (definition.view !== undefined) {
      const base = this.byKind.get(definition.view.of)
      if (base === undefined)
        throw new Error(`${definition.key} is a view of ${definition.view.of}, which is not served`)
      serve(viewState(definition, definition.view, base))
      return
    }
    const state = this.makeState(definition)
    this.store.range(definition.prefix, {}, (result) => {
      if (Result.isFailure(result)) {
        this.objects.directories.delete(definition.prefix)
        ready(result.failure._tag === "StoreFailure" ? result.failure : undefined)
        return
      }
      for (const { key, modRevision, value } of result.success.entries)
        this.objects.addStored(key, value as KubeObject, modRevision)
      state.channel.reset(Math.max(this.objects.shownRevision, result.success.revision))
      serve(state)
    })
  }

  /** Stops serving a kind that was added at run time; its objects stay in the store. */
  removeKind(key: string): void {
    const state = this.byKind.get(key)
    if (state === undefined || key in this.kinds) return
    this.byKind.delete(key)
    if (state.base === undefined) this.objects.directories.delete(state.definition.prefix)
    state.expiry?.stop()
    state.channel.close()
    this.notifyObservers()
  }

  /** Tells observers that a kind was added or removed, or allows other verbs. */
  notifyObservers(): void {
    for (const changed of this.observers) guarded(this.timers, "registry observer", changed)
  }

  private makeState(definition: KindDefinition): KindState {
    const { expireMs, index, prefix, resource } = definition
    const { timers } = this
    const cache = new KindCache(prefix, resource.namespaced, index, timers.handleError)
    const channel = new Channel({ definition, cache, revision: () => this.objects.shownRevision, timers })
    // The final state is a copy, because `remove` sets the revision in it; a conflict means that it was written again.
    const expire = (cached: Cached) => this.remove(state, cached, withResourceVersion(cached.object, 0), () => {})
    const expiry =
      expireMs === undefined || this.store.expires === true ? undefined : new Expiry(timers, expireMs, expire)
    const state: KindState = { definition, cache, channel, expiry }
    channel.counts.readWait = this.metrics?.set
      .distributions(watchCacheFamilies.readWait)
      .with({ group: resource.group, resource: resource.plural })
    this.objects.directories.set(prefix, state)
    return state
  }

  /** The revision that reads return. */
  get revision(): Revision {
    return this.objects.shownRevision
  }

  /** Reads the contents of the store and watches it from there. */
  start(ready: (error: StoreFailure | undefined) => void): void {
    this.feed.start(ready)
  }

  /** Discards the history: watches from earlier revisions and reads of earlier revisions are answered with Expired. */
  compact(done: () => void): void {
    for (const { channel } of this.objects.directories.values()) channel.reset(this.objects.shownRevision)
    this.store.compact(this.objects.shownRevision, done)
  }

  stop(): void {
    this.feed.stop()
    for (const { channel, expiry } of this.byKind.values()) {
      expiry?.stop()
      channel.close()
    }
  }

  /** Stores a new object. Its `metadata` must belong to the caller alone: the revision of the write is set in it. */
  create(state: KindState, namespace: string, name: string, object: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      withStoredForm(state.base, object, this.isServed, reply, (stored) =>
        this.create(base, namespace, name, stored, copyRevisionAndReply(stored, object, reply))
      )
      return
    }
    const key = state.cache.keyOf(namespace, name)
    const answered = this.shown(object, reply, (revision) =>
      this.objects.applyAdd(state, namespace, name, object, revision, key)
    )
    this.write(state, "create", { type: "put", key, value: object, expect: 0 }, answered)
  }

  /**
   * Stores a new state of an object; a conflict if the stored object is not the cached one any more. The `metadata` must
   * belong to the caller alone, as for `create`.
   */
  update(state: KindState, cached: Cached, object: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      writeThroughView(state.base, cached, object, this.isServed, reply, (real, stored, done) =>
        this.update(base, real, stored, done)
      )
      return
    }
    state.cache.late?.changes(cached.namespace, cached.name)
    cached.place ??= this.store.place?.(cached.key)
    const { key, object: previous, place, revision: expect } = cached
    const answered = this.shown(object, reply, (revision) => this.objects.applyChange(state, cached, object, revision))
    this.write(state, "update", { type: "put", key, value: object, expect, place }, answered, previous)
  }

  /**
   * Removes an object; a conflict if the stored object is not the cached one any more. `last` is the final state for
   * watchers, whose `metadata` must belong to the caller alone, as for `create`.
   */
  remove(state: KindState, cached: Cached, last: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      const real = state.base.converted && base.cache.get(cached.namespace, cached.name)
      if (real !== undefined && real.revision === cached.revision) {
        const stored = lastStoredForm(real, last)
        this.remove(base, real, stored, copyRevisionAndReply(stored, last, reply))
        return
      }
      writeThroughView(state.base, cached, last, this.isServed, reply, (real, stored, done) =>
        this.remove(base, real, stored, done)
      )
      return
    }
    state.cache.late?.changes(cached.namespace, cached.name)
    const answered = this.shown(last, reply, (revision) => this.objects.applyRemove(state, cached, last, revision))
    this.write(state, "delete", { type: "delete", key: cached.key, expect: cached.revision }, answered, cached.object)
  }

  private readonly isServed = (state: KindState): boolean => this.byKind.get(state.definition.key) === state

  /** Shows an object once the store has it, with the revision that it got; then replies. */
  private shown(object: KubeObject, reply: StoreReply, apply: (revision: number) => void): StoreReply {
    return (result, texts) => {
      if (Result.isFailure(result)) return this.objects.callReply(reply, result)
      const revision = result.success
      setResourceVersion(object, revision)
      const [text] = texts ?? []
      if (typeof text === "string") {
        guarded(this.objects.timers, "written JSON", () => keepWrittenJson(object, text, String(revision)))
      }
      if (this.objects.advance(revision)) {
        apply(revision)
        this.objects.wakeWaiters()
      }
      this.objects.replyOnceShown(result, reply)
    }
  }

  private write(state: KindState, verb: StoreOperation, change: Operation, reply: StoreReply, previous?: KubeObject) {
    const { claims, expireMs, resource } = state.definition
    const answered = this.meter?.measured(verb, resource, reply) ?? reply
    const isPlain = claims === undefined && expireMs === undefined
    this.store.write(isPlain ? [change] : batchOf(state.definition, this.current, change, previous), answered)
  }

  /**
   * Stores objects together with one revision. Existing ones are overwritten whatever their revision, as snapshots need,
   * or are a conflict if all must be new. The `metadata` of each must belong to the caller alone, as for `create`.
   */
  load(placed: ReadonlyArray<Placed>, areNew: boolean, reply: StoreReply): void {
    for (const { name, namespace, state } of placed) state.cache.late?.changes(namespace, name)
    const expected = areNew ? { expect: 0 } : {}
    const keyOf = ({ name, namespace, state }: Placed) => state.cache.keyOf(namespace, name)
    const batch = placed.map((of) => ({ type: "put", key: keyOf(of), value: of.object, ...expected }) as const)
    this.store.write(batch, (result) => {
      if (Result.isFailure(result)) return this.objects.callReply(reply, result)
      const revision = result.success
      for (const { object } of placed) setResourceVersion(object, revision)
      if (this.objects.advance(revision)) {
        for (const [index, { name, namespace, object, state }] of placed.entries())
          this.objects.applyPut(state, namespace, name, object, revision, batch[index]?.key)
        this.objects.wakeWaiters()
      }
      this.objects.replyOnceShown(result, reply)
    })
  }

  /** Calls back once reads show this revision, synchronously if they already do; returns a function that cancels. */
  whenAt(revision: Revision, callback: () => void): () => void {
    return this.objects.whenAt(revision, callback)
  }

  /** Calls back once reads show everything that the store holds now: when to retry after a failed comparison. */
  whenCurrent(callback: () => void): void {
    this.objects.whenCurrent(callback)
  }

  /** Reads a page of the store itself, for past revisions. */
  range(
    { resource }: Pick<KindDefinition, "resource">,
    prefix: string,
    options: Parameters<StoreShape["range"]>[1],
    reply: Parameters<StoreShape["range"]>[2]
  ): void {
    this.store.range(prefix, options, this.meter === undefined ? reply : this.meter.measured("list", resource, reply))
  }
}
