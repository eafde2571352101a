import type { KubeObject } from "@rollcall/api"
import type { Revision, StoreConflict, StoreFailure, StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { Cached } from "../watch/KindCache.ts"
import { withStoredRevision } from "../watch/Occurrence.ts"
import { WatchColumns } from "../watch/WatchColumns.ts"
import type { Watcher } from "../watch/Watchers.ts"
import { Directories } from "./Directories.ts"
import type { KindState } from "./KindState.ts"

/** Receives the store's reply: the revision of the write, which the written object then has, or why nothing was written. */
export type StoreReply = Parameters<StoreShape["write"]>[1]

interface Waiter {
  readonly revision: Revision
  readonly callback: () => void
}

/**
 * The objects at the revision that reads return, and the callbacks that wait for a later one. The methods `apply…`
 * bring a change that the store has made into the cache, the expiry queue and the watches.
 */
export class Objects {
  readonly store: StoreShape
  readonly timers: TimersShape
  readonly directories = new Directories()
  /** The revision that reads return. */
  shownRevision: Revision = 0
  private waiters: Array<Waiter> = []

  constructor(store: StoreShape, timers: TimersShape) {
    this.store = store
    this.timers = timers
  }

  /** Lets the watches of all kinds go on in place, as rows. */
  spareWatches(numbered: NonNullable<TimersShape["numbered"]>): void {
    const columns = new WatchColumns<Watcher>(numbered)
    for (const { channel } of this.directories.values()) channel.sparesWork(columns)
  }

  /**
   * Adds an object read from the store to the cache, without notifying watchers. It is skipped if it is cached already,
   * or if no kind has its key; a value that is not an object is reported and skipped.
   */
  addStored(key: string, value: KubeObject, revision: Revision): void {
    const place = this.directories.placeOf(key)
    if (place === undefined || place.state.cache.get(place.namespace, place.name) !== undefined) return
    const { name, namespace, state } = place
    try {
      const cached = state.cache.add(namespace, name, withStoredRevision(value, revision), revision)
      this.updateSize(cached)
      state.expiry?.schedule(cached)
    } catch (error) {
      this.timers.handleError("stored object", error, { key })
    }
  }

  /** Applies a write of which only the store key is known: it added or changed the object. */
  applyPut(
    state: KindState,
    namespace: string,
    name: string,
    object: KubeObject,
    revision: Revision,
    key?: string
  ): void {
    const cached = state.cache.get(namespace, name)
    if (cached === undefined) this.applyAdd(state, namespace, name, object, revision, key)
    else this.applyChange(state, cached, object, revision)
  }

  applyAdd(
    state: KindState,
    namespace: string,
    name: string,
    object: KubeObject,
    revision: Revision,
    key?: string
  ): void {
    const cached = state.cache.add(namespace, name, object, revision, key)
    state.expiry?.schedule(cached)
    const size = this.updateSize(cached)
    state.channel.publish({ revision, event: { type: "ADDED", object }, previous: undefined, size })
  }

  applyChange(state: KindState, cached: Cached, object: KubeObject, revision: Revision): void {
    const previous = cached.object
    state.cache.update(cached, object, revision)
    state.expiry?.schedule(cached)
    state.channel.publish({ revision, event: { type: "MODIFIED", object }, previous, size: this.updateSize(cached) })
  }

  /** Reads the object's size from the store, if the store knows it, and returns the size in characters. */
  private updateSize(cached: Cached): number {
    if (this.store.sizeOf !== undefined) cached.size = this.store.sizeOf(cached.key) ?? 0
    return cached.size
  }

  applyRemove(state: KindState, cached: Cached, last: KubeObject, revision: Revision): void {
    const previous = cached.object
    state.cache.remove(cached)
    state.channel.publish({ revision, event: { type: "DELETED", object: last }, previous, size: cached.size })
  }

  /**
   * Advances reads to this revision if it is the next one. Returns true if the caller must apply the change; false if
   * earlier revisions are still to come by the store's watch, which then applies this one, too.
   */
  advance(revision: Revision): boolean {
    if (revision !== this.shownRevision + 1) return false
    this.shownRevision = revision
    return true
  }

  /** Calls back once reads show this revision, synchronously if they do already; returns a function that cancels. */
  whenAt(revision: Revision, callback: () => void): () => void {
    if (revision <= this.shownRevision) {
      callback()
      return () => {}
    }
    return this.wait(revision, callback)
  }

  /** Calls back once reads show everything that the store holds now: when to retry after a failed comparison. */
  whenCurrent(callback: () => void): void {
    this.whenAt(this.store.revision(), callback)
  }

  private wait(revision: Revision, callback: () => void): () => void {
    const waiter = { revision, callback }
    this.waiters.push(waiter)
    return () => {
      this.waiters = this.waiters.filter((other) => other !== waiter)
    }
  }

  /** Calls the waiters whose revision is shown, in order of their arrival; one that throws does not affect the others. */
  wakeWaiters(): void {
    if (this.waiters.length === 0) return
    const { shownRevision } = this
    const due = this.waiters.filter((waiter) => waiter.revision <= shownRevision)
    if (due.length === 0) return
    this.waiters = this.waiters.filter((waiter) => waiter.revision > shownRevision)
    for (const { callback } of due) {
      try {
        callback()
      } catch (error) {
        this.timers.handleError("read of a revision", error)
      }
    }
  }

  /** Answers a write once reads show it. */
  replyOnceShown(result: Result.Success<Revision, StoreConflict | StoreFailure>, reply: StoreReply): void {
    if (result.success <= this.shownRevision) this.callReply(reply, result)
    else this.wait(result.success, () => reply(result))
  }

  /** Calls a reply. An error that it throws ends only that request: the store continues with the other answers. */
  callReply(reply: StoreReply, result: Parameters<StoreReply>[0]): void {
    try {
      reply(result)
    } catch (error) {
      this.timers.handleError("store reply", error)
    }
  }
}

/** Sets the revision in an object that is not shared yet. */
export const setResourceVersion = (object: KubeObject, revision: Revision): void => {
  const metadata: { resourceVersion?: string } = object.metadata
  metadata.resourceVersion = String(revision)
}
