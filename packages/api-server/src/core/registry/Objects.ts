import type { KubeObject } from "@rollcall/api"
import type { Revision, StoreConflict, StoreFailure, StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { Cached } from "../watch/KindCache.ts"
import { stamped } from "../watch/Occurrence.ts"
import { Directories } from "./Directories.ts"
import type { KindState } from "./KindState.ts"

/** The store's reply: the revision of the write, which is then set in the object, or why nothing was written. */
export type StoreReply = Parameters<StoreShape["write"]>[1]

interface Waiter {
  readonly revision: Revision
  readonly callback: () => void
}

/** The objects at the newest shown revision, and the callbacks that wait for a later revision. */
export class Objects {
  readonly store: StoreShape
  readonly timers: TimersShape
  readonly directories = new Directories()
  /** The revision that reads return. */
  shown: Revision = 0
  private waiting: Array<Waiter> = []

  constructor(store: StoreShape, timers: TimersShape) {
    this.store = store
    this.timers = timers
  }

  /** Adds a stored object to the cache, without notifying watchers. A stored value that is not an object is skipped. */
  enter(key: string, value: KubeObject, revision: Revision): void {
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

  put(state: KindState, namespace: string, name: string, object: KubeObject, revision: Revision): void {
    const cached = state.cache.get(namespace, name)
    if (cached === undefined) this.added(state, namespace, name, object, revision)
    else this.changed(state, cached, object, revision)
  }

  added(state: KindState, namespace: string, name: string, object: KubeObject, revision: Revision): void {
    const cached = state.cache.add(namespace, name, object, revision)
    state.expiry?.note(cached)
    const size = this.sized(cached)
    state.channel.publish({ revision, event: { type: "ADDED", object }, previous: undefined, size })
  }

  changed(state: KindState, cached: Cached, object: KubeObject, revision: Revision): void {
    const previous = cached.object
    state.cache.update(cached, object, revision)
    state.expiry?.note(cached)
    state.channel.publish({ revision, event: { type: "MODIFIED", object }, previous, size: this.sized(cached) })
  }

  private sized(cached: Cached): number {
    if (this.store.sizeOf !== undefined) cached.size = this.store.sizeOf(cached.key) ?? 0
    return cached.size
  }

  removed(state: KindState, cached: Cached, last: KubeObject, revision: Revision): void {
    const previous = cached.object
    state.cache.remove(cached)
    state.channel.publish({ revision, event: { type: "DELETED", object: last }, previous, size: cached.size })
  }

  /**
   * Advances to the next revision. True: the caller applies it; false: earlier revisions are still to come by the
   * store's watch, which then applies this one, too.
   */
  advance(revision: Revision): boolean {
    if (revision !== this.shown + 1) return false
    this.shown = revision
    return true
  }

  /** Calls back once reads show this revision, synchronously if they do already; returns a function that cancels. */
  whenAt(revision: Revision, callback: () => void): () => void {
    if (revision <= this.shown) {
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
    this.waiting.push(waiter)
    return () => {
      this.waiting = this.waiting.filter((other) => other !== waiter)
    }
  }

  /** Calls the waiters whose revision is shown, in order of their arrival; one that throws does not affect the others. */
  wake(): void {
    if (this.waiting.length === 0) return
    const { shown } = this
    const due = this.waiting.filter((waiter) => waiter.revision <= shown)
    if (due.length === 0) return
    this.waiting = this.waiting.filter((waiter) => waiter.revision > shown)
    for (const { callback } of due) {
      try {
        callback()
      } catch (error) {
        this.timers.handleError("read of a revision", error)
      }
    }
  }

  /** Answers a write once reads show it. */
  answer(result: Result.Success<Revision, StoreConflict | StoreFailure>, reply: StoreReply): void {
    if (result.success <= this.shown) this.tell(reply, result)
    else this.wait(result.success, () => reply(result))
  }

  /** Calls a reply. An error that it throws ends only that request: the store continues with the other answers. */
  tell(reply: StoreReply, result: Parameters<StoreReply>[0]): void {
    try {
      reply(result)
    } catch (error) {
      this.timers.handleError("store reply", error)
    }
  }
}

/** Sets the revision in an object that is not shared yet. */
export const stamp = (object: KubeObject, revision: Revision): void => {
  const metadata: { resourceVersion?: string } = object.metadata
  metadata.resourceVersion = String(revision)
}
