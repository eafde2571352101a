import type { KindName, KubeObject } from "@rollcall/api"
import type { Change, Revision, StoreConflict, StoreFailure, StoreShape } from "@rollcall/store"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { Channel } from "../watch/Channel.ts"
import { type Cached, KindCache } from "../watch/KindCache.ts"
import { atRevision, type Occurrence } from "../watch/Occurrence.ts"
import { Directories, ROOT } from "./Directories.ts"
import { Expiry } from "./Expiry.ts"
import { brokenWatch, expiredWatch } from "./expired.ts"
import type { KindDefinition } from "./KindDefinition.ts"
import type { KindState, Placed } from "./KindState.ts"
import { occurrenceOf, recallHistory } from "./recall.ts"
import { stamp, stamped } from "./stamp.ts"
import type { KindTable } from "./table.ts"
import { viewState } from "./views.ts"
import { echo, type StoreReply, storedForm, throughView } from "./viewWrites.ts"
import { Waiters } from "./Waiters.ts"

/**
 * The objects, as the newest revision shows them, over a store. A write goes to the store with a comparison and enters the
 * cache with its acknowledgement, so that the next request sees it; what others write into the same store arrives by its watch.
 * Whichever comes first applies a revision, the other finds it done.
 */
export class Registry {
  readonly kinds: Readonly<Record<KindName, KindState>>
  private readonly byKind: Map<string, KindState>
  private readonly store: StoreShape
  private readonly timers: TimersShape
  /** Told of every kind that comes or goes. */
  private readonly observers = new Set<() => void>()
  private readonly directories = new Directories()
  private readonly waiters: Waiters
  private applied: Revision = 0
  private stopWatch: () => void = () => {}

  constructor(store: StoreShape, timers: TimersShape, table: KindTable) {
    this.store = store
    this.timers = timers
    this.waiters = new Waiters(timers.handleError)
    this.kinds = Object.fromEntries(
      Object.entries(table).map(([kind, definition]) => [kind, this.stateOf(definition)])
    ) as Record<KindName, KindState>
    this.byKind = new Map(Object.entries(this.kinds))
  }

  /** A kind by what a request calls it. */
  kind(name: string): KindState | undefined {
    return this.byKind.get(name)
  }

  /** All kinds that are served now, those of the table first. */
  states(): IterableIterator<KindState> {
    return this.byKind.values()
  }

  /** Calls whenever a kind was added or removed; returns what ends that. */
  observe(changed: () => void): () => void {
    this.observers.add(changed)
    return () => this.observers.delete(changed)
  }

  /**
   * Serves another kind from now on. What the store already holds of it is there when `ready` is called; until then the kind is not
   * served. A key that is taken is replaced by its new definition, and its watches end.
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
      if (base === undefined) throw new Error(`${definition.key} shows ${definition.view.of}, which is not there`)
      serve(viewState(definition, definition.view, base))
      return
    }
    const state = this.stateOf(definition)
    this.store.range(definition.prefix, {}, (result) => {
      if (Result.isFailure(result)) {
        this.directories.delete(definition.prefix)
        ready(result.failure._tag === "StoreFailure" ? result.failure : undefined)
        return
      }
      for (const { key, modRevision, value } of result.success.entries)
        this.enter(key, value as KubeObject, modRevision)
      state.channel.reset(Math.max(this.applied, result.success.revision))
      serve(state)
    })
  }

  /** Serves a kind no longer; its objects stay in the store. */
  removeKind(key: string): void {
    const state = this.byKind.get(key)
    if (state === undefined || key in this.kinds) return
    this.byKind.delete(key)
    if (state.base === undefined) this.directories.delete(state.definition.prefix)
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
    const revision = () => this.applied
    const channel = new Channel({ definition, cache, revision, timers, expired: expiredWatch, broken: brokenWatch })
    const expire = (cached: Cached) => this.remove(made, cached, atRevision(cached.object, 0), () => {})
    const expiry = expireMs === undefined ? undefined : new Expiry(timers, expireMs, expire)
    const made: KindState = { definition, cache, channel, expiry }
    this.directories.set(prefix, made)
    return made
  }

  /** Takes what the store holds into the cache, without telling anybody. What is no object keeps no other out. */
  private enter(key: string, value: KubeObject, revision: Revision): void {
    const place = this.directories.placeOf(key)
    if (place === undefined || place.state.cache.get(place.namespace, place.name) !== undefined) return
    const { name, namespace, state } = place
    try {
      const cached = state.cache.add(namespace, name, stamped(value, revision), revision)
      this.sized(cached)
      state.expiry?.note(cached)
    } catch (error) {
      this.timers.handleError("stored object", error, { key })
    }
  }

  /** The revision that reads show. */
  get revision(): Revision {
    return this.applied
  }

  /** Reads what the store has and follows it from there. */
  start(ready: (error: StoreFailure | undefined) => void): void {
    this.store.range(ROOT, {}, (result) => {
      if (Result.isFailure(result)) {
        if (result.failure._tag === "StoreFailure") ready(result.failure)
        return
      }
      const { entries, revision } = result.success
      for (const { cache, expiry } of this.directories.values()) {
        cache.clear()
        expiry?.clear()
      }
      for (const { key, modRevision, value } of entries) this.enter(key, value as KubeObject, modRevision)
      const first = this.applied === 0
      this.applied = revision
      for (const { channel } of this.directories.values()) channel.restart(revision)
      this.waiters.wake(revision)
      const follow = () => {
        this.follow()
        ready(undefined)
      }
      if (first && revision > 0) this.recall(revision, follow)
      else follow()
    })
  }

  /** Learns what the store still knows of the time before, so that clients can go on where an earlier server left them. */
  private recall(revision: Revision, done: () => void): void {
    recallHistory(this.store, ROOT, revision, (history) => {
      if (history !== undefined) {
        const occurrences = new Map<KindState, Array<Occurrence>>()
        for (const change of history.changes) {
          guarded(this.timers, "stored history", () => this.sort(change, occurrences))
        }
        for (const state of this.directories.values()) state.channel.recall(history.floor, occurrences.get(state) ?? [])
      }
      done()
    })
  }

  private sort(change: Change, occurrences: Map<KindState, Array<Occurrence>>): void {
    const state = this.directories.placeOf(change.type === "put" ? change.entry.key : change.key)?.state
    if (state === undefined) return
    const occurrence = occurrenceOf(change)
    const known = occurrences.get(state)
    if (known === undefined) occurrences.set(state, [occurrence])
    else known.push(occurrence)
  }

  /** Forgets the history: watches and reads of anything before the newest revision end in Expired. */
  compact(done: () => void): void {
    for (const { channel } of this.directories.values()) channel.reset(this.applied)
    this.store.compact(this.applied, done)
  }

  stop(): void {
    this.stopWatch()
    for (const { channel, expiry } of this.byKind.values()) {
      expiry?.stop()
      channel.close()
    }
  }

  /** Stores a new object. Its metadata must be fresh: the revision is written into it. */
  create(state: KindState, namespace: string, name: string, object: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const stored = storedForm(state.base, object)
      this.create(state.base.state, namespace, name, stored, echo(stored, object, reply))
      return
    }
    const key = state.cache.keyOf(namespace, name)
    this.store.write([{ type: "put", key, value: object, expect: 0 }], (result) => {
      if (Result.isFailure(result)) return this.tell(reply, result)
      const revision = result.success
      stamp(object, revision)
      if (revision === this.applied + 1) {
        this.applied = revision
        this.added(state, namespace, name, object, revision)
        this.waiters.wake(revision)
      }
      this.answer(result, reply)
    })
  }

  /** Stores another state of an object that is still as the cache has it. Metadata as for `create`. */
  update(state: KindState, cached: Cached, object: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      throughView(state.base, cached, object, reply, (real, stored, done) => this.update(base, real, stored, done))
      return
    }
    const { key, revision: expect } = cached
    cached.place ??= this.store.place?.(key)
    this.store.write([{ type: "put", key, value: object, expect, place: cached.place }], (result) => {
      if (Result.isFailure(result)) return this.tell(reply, result)
      const revision = result.success
      stamp(object, revision)
      if (revision === this.applied + 1) {
        this.applied = revision
        this.changed(state, cached, object, revision)
        this.waiters.wake(revision)
      }
      this.answer(result, reply)
    })
  }

  /** Removes an object that is still as the cache has it. `last` is its final state; metadata as for `create`. */
  remove(state: KindState, cached: Cached, last: KubeObject, reply: StoreReply): void {
    if (state.base !== undefined) {
      const base = state.base.state
      throughView(state.base, cached, last, reply, (real, stored, done) => this.remove(base, real, stored, done))
      return
    }
    this.store.write([{ type: "delete", key: cached.key, expect: cached.revision }], (result) => {
      if (Result.isFailure(result)) return this.tell(reply, result)
      const revision = result.success
      stamp(last, revision)
      if (revision === this.applied + 1) {
        this.applied = revision
        this.removed(state, cached, last, revision)
        this.waiters.wake(revision)
      }
      this.answer(result, reply)
    })
  }

  /**
   * Stores objects together, whatever was there before. For loading: nothing is compared. Metadata as for `create`.
   */
  load(placed: ReadonlyArray<Placed>, reply: StoreReply): void {
    const batch = placed.map(
      ({ name, namespace, object, state }) =>
        ({ type: "put", key: state.cache.keyOf(namespace, name), value: object }) as const
    )
    this.store.write(batch, (result) => {
      if (Result.isFailure(result)) return this.tell(reply, result)
      const revision = result.success
      for (const { object } of placed) stamp(object, revision)
      if (revision === this.applied + 1) {
        this.applied = revision
        for (const { name, namespace, object, state } of placed) this.put(state, namespace, name, object, revision)
        this.waiters.wake(revision)
      }
      this.answer(result, reply)
    })
  }

  /** Calls once reads show this revision, at once if they do; returns what calls it off. */
  whenAt(revision: Revision, callback: () => void): () => void {
    if (revision <= this.applied) {
      callback()
      return () => {}
    }
    return this.waiters.add(revision, callback)
  }

  /** Calls once reads show all that the store holds by now: where to look again after a failed comparison. */
  whenCurrent(callback: () => void): void {
    this.whenAt(this.store.revision(), callback)
  }

  /** The store's own page, for reads of the past. */
  range: StoreShape["range"] = (prefix, options, reply) => this.store.range(prefix, options, reply)

  private answer(result: Result.Success<Revision, StoreConflict | StoreFailure>, reply: StoreReply): void {
    if (result.success <= this.applied) this.tell(reply, result)
    else this.waiters.add(result.success, () => reply(result))
  }

  /** What a reply throws ends no more than itself: the store goes on with the answers of the same round. */
  private tell(reply: StoreReply, result: Parameters<StoreReply>[0]): void {
    try {
      reply(result)
    } catch (error) {
      this.timers.handleError("store reply", error)
    }
  }

  private put(state: KindState, namespace: string, name: string, object: KubeObject, revision: Revision): void {
    const cached = state.cache.get(namespace, name)
    if (cached === undefined) this.added(state, namespace, name, object, revision)
    else this.changed(state, cached, object, revision)
  }

  private added(state: KindState, namespace: string, name: string, object: KubeObject, revision: Revision): void {
    const cached = state.cache.add(namespace, name, object, revision)
    state.expiry?.note(cached)
    const size = this.sized(cached)
    state.channel.publish({ revision, event: { type: "ADDED", object }, previous: undefined, size })
  }

  private changed(state: KindState, cached: Cached, object: KubeObject, revision: Revision): void {
    const previous = cached.object
    state.cache.update(cached, object, revision)
    state.expiry?.note(cached)
    state.channel.publish({ revision, event: { type: "MODIFIED", object }, previous, size: this.sized(cached) })
  }

  private sized(cached: Cached): number {
    if (this.store.sizeOf !== undefined) cached.size = this.store.sizeOf(cached.key) ?? 0
    return cached.size
  }

  private removed(state: KindState, cached: Cached, last: KubeObject, revision: Revision): void {
    const previous = cached.object
    state.cache.remove(cached)
    state.channel.publish({ revision, event: { type: "DELETED", object: last }, previous, size: cached.size })
  }

  private follow(): void {
    this.stopWatch = this.store.watch(ROOT, this.applied, {
      changes: (batch) => this.receive(batch),
      end: (error) => {
        // A store that failed says so to every write.
        if (error?._tag !== "StoreCompacted") return
        // The watch fell behind a burst. Its own writes the server knows by their acknowledgements; what others wrote in it is
        // lost, and only reading everything anew brings it back.
        if (error.oldest <= this.applied + 1) this.follow()
        else this.start(() => {})
      }
    })
  }

  private receive(batch: ReadonlyArray<Change>): void {
    const { applied } = this
    for (const change of batch) {
      const revision = change.type === "put" ? change.entry.modRevision : change.revision
      if (revision <= applied) continue
      this.applied = revision
      // What cannot be read is passed over: what follows it in the batch comes once only.
      try {
        this.receiveOne(change, revision)
      } catch (error) {
        this.timers.handleError("store watch", error, { revision })
      }
    }
    if (this.applied !== applied) this.waiters.wake(this.applied)
  }

  private receiveOne(change: Change, revision: Revision): void {
    const place = this.directories.placeOf(change.type === "put" ? change.entry.key : change.key)
    if (place === undefined) return
    const { name, namespace, state } = place
    if (change.type === "put") {
      this.put(state, namespace, name, stamped(change.entry.value as KubeObject, revision), revision)
      return
    }
    const cached = state.cache.get(namespace, name)
    if (cached !== undefined) this.removed(state, cached, atRevision(cached.object, revision), revision)
  }
}
