import type { KindName, KubeObject } from "@rollcall/api"
import type { Revision, StoreFailure, StoreShape } from "@rollcall/store"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { Channel } from "../watch/Channel.ts"
import { type Cached, KindCache } from "../watch/KindCache.ts"
import { atRevision } from "../watch/Occurrence.ts"
import { Expiry } from "./Expiry.ts"
import type { KindDefinition } from "./KindDefinition.ts"
import type { KindState, Placed } from "./KindState.ts"
import { Objects, type StoreReply, stamp } from "./Objects.ts"
import { StoreFeed } from "./StoreFeed.ts"
import type { KindTable } from "./table.ts"
import { copyRevision, storedForm, throughView, viewState } from "./views.ts"

/**
 * The objects at the newest revision, over a store. A write is sent to the store with a comparison and enters the cache
 * when it is acknowledged, so that the next request sees it; writes of other processes to the same store arrive by its
 * watch. Whichever comes first applies a revision; the other one skips it.
 */
export class Registry {
  readonly kinds: Readonly<Record<KindName, KindState>>
  private readonly byKind: Map<string, KindState>
  private readonly store: StoreShape
  private readonly timers: TimersShape
  private readonly objects: Objects
  private readonly feed: StoreFeed
  /** Called whenever a kind is added or removed. */
  private readonly observers = new Set<() => void>()

  constructor(store: StoreShape, timers: TimersShape, table: KindTable) {
    this.store = store
    this.timers = timers
    this.objects = new Objects(store, timers)
    this.feed = new StoreFeed(this.objects)
    this.kinds = Object.fromEntries(
      Object.entries(table).map(([kind, definition]) => [kind, this.stateOf(definition)])
    ) as Record<KindName, KindState>
    this.byKind = new Map(Object.entries(this.kinds))
  }

  /** Returns a kind by its name in requests. */
  kind(name: string): KindState | undefined {
    return this.byKind.get(name)
  }

  /** Returns all served kinds, those of the table first. */
  states(): IterableIterator<KindState> {
    return this.byKind.values()
  }

  /** Calls back whenever a kind is added or removed; returns a function that stops that. */
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
      this.tellChanged()
      ready(undefined)
    }
    if (definition.view !== undefined) {
      const base = this.byKind.get(definition.view.of)
      if (base === undefined)
        throw new Error(`${definition.key} is a view of ${definition.view.of}, which is not served`)
      serve(viewState(definition, definition.view, base))
      return
    }
    const state = this.stateOf(definition)
    this.store.range(definition.prefix, {}, (result) => {
      if (Result.isFailure(result)) {
        this.objects.directories.delete(definition.prefix)
        ready(result.failure._tag === "StoreFailure" ? result.failure : undefined)
        return
      }
      for (const { key, modRevision, value } of result.success.entries)
        this.objects.enter(key, value as KubeObject, modRevision)
      state.channel.reset(Math.max(this.objects.shown, result.success.revision))
      serve(state)
    })
  }

  /** Stops serving a kind; its objects stay in the store. */
  removeKind(key: string): void {
    const state = this.byKind.get(key)
    if (state === undefined || key in this.kinds) return
    this.byKind.delete(key)
    if (state.base === undefined) this.objects.directories.delete(state.definition.prefix)
    state.expiry?.stop()
    state.channel.close()
    this.tellChanged()
  }

  private tellChanged(): void {
    for (const changed of this.observers) guarded(this.timers, "registry observer", changed)
  }

  private stateOf(definition: KindDefinition): KindState {
    const { expireMs, index, prefix, resource } = definition
    const { timers } = this
    const cache = new KindCache(prefix, resource.namespaced, index, timers.handleError)
    const revision = () => this.objects.shown
    const channel = new Channel({ definition, cache, revision, timers })
    const expire = (cached: Cached) => this.remove(made, cached, atRevision(cached.object, 0), () => {})
    const expiry = expireMs === undefined ? undefined : new Expiry(timers, expireMs, expire)
    const made: KindState = { definition, cache, channel, expiry }
    this.objects.directories.set(prefix, made)
    return made
  }

  /** The revision that reads return. */
  get revision(): Revision {
    return this.objects.shown
  }

  /** Reads the contents of the store and watches it from there. */
  start(ready: (error: StoreFailure | undefined) => void): void {
    this.feed.start(ready)
  }

  /** Discards the history: watches and reads of revisions before the newest end in Expired. */
  compact(done: () => void): void {
    for (const { channel } of this.objects.directories.values()) channel.reset(this.objects.shown)
    this.store.compact(this.objects.shown, done)
  }

  stop(): void {
    this.feed.stop()
    for (const { channel, expiry } of this.byKind.values()) {
      expiry?.stop()
      channel.close()
    }
  }

  /** Stores a new object. Its metadata must not be shared: the revision is set in it. */
  create(state: KindState, namespace: string, name: string, object: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const stored = storedForm(state.base, object)
      this.create(state.base.state, namespace, name, stored, copyRevision(stored, object, reply))
      return
    }
    const key = state.cache.keyOf(namespace, name)
    this.store.write([{ type: "put", key, value: object, expect: 0 }], (result) => {
      if (Result.isFailure(result)) return this.objects.tell(reply, result)
      const revision = result.success
      stamp(object, revision)
      if (this.objects.advance(revision)) {
        this.objects.added(state, namespace, name, object, revision)
        this.objects.wake()
      }
      this.objects.answer(result, reply)
    })
  }

  /** Stores a new state of an object that is unchanged since the cached state. Metadata as for `create`. */
  update(state: KindState, cached: Cached, object: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      throughView(state.base, cached, object, reply, (real, stored, done) => this.update(base, real, stored, done))
      return
    }
    const { key, revision: expect } = cached
    cached.place ??= this.store.place?.(key)
    this.store.write([{ type: "put", key, value: object, expect, place: cached.place }], (result) => {
      if (Result.isFailure(result)) return this.objects.tell(reply, result)
      const revision = result.success
      stamp(object, revision)
      if (this.objects.advance(revision)) {
        this.objects.changed(state, cached, object, revision)
        this.objects.wake()
      }
      this.objects.answer(result, reply)
    })
  }

  /** Removes an object that is unchanged since the cached state. `last` is its final state; metadata as for `create`. */
  remove(state: KindState, cached: Cached, last: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      throughView(state.base, cached, last, reply, (real, stored, done) => this.remove(base, real, stored, done))
      return
    }
    this.store.write([{ type: "delete", key: cached.key, expect: cached.revision }], (result) => {
      if (Result.isFailure(result)) return this.objects.tell(reply, result)
      const revision = result.success
      stamp(last, revision)
      if (this.objects.advance(revision)) {
        this.objects.removed(state, cached, last, revision)
        this.objects.wake()
      }
      this.objects.answer(result, reply)
    })
  }

  /** Stores objects together, overwriting existing ones without a comparison: for loading. Metadata as for `create`. */
  load(placed: ReadonlyArray<Placed>, reply: StoreReply): void {
    const batch = placed.map(
      ({ name, namespace, object, state }) =>
        ({ type: "put", key: state.cache.keyOf(namespace, name), value: object }) as const
    )
    this.store.write(batch, (result) => {
      if (Result.isFailure(result)) return this.objects.tell(reply, result)
      const revision = result.success
      for (const { object } of placed) stamp(object, revision)
      if (this.objects.advance(revision)) {
        for (const { name, namespace, object, state } of placed)
          this.objects.put(state, namespace, name, object, revision)
        this.objects.wake()
      }
      this.objects.answer(result, reply)
    })
  }

  /** Calls back once reads show this revision, synchronously if they do already; returns a function that cancels. */
  whenAt(revision: Revision, callback: () => void): () => void {
    return this.objects.whenAt(revision, callback)
  }

  /** Calls back once reads show everything that the store holds now: when to retry after a failed comparison. */
  whenCurrent(callback: () => void): void {
    this.objects.whenCurrent(callback)
  }

  /** Reads a page of the store itself, for past revisions. */
  range: StoreShape["range"] = (prefix, options, reply) => this.store.range(prefix, options, reply)
}
