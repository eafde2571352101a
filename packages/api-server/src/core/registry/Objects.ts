import type { KubeObject } from "@rollcall/api"
import type { Revision, StoreConflict, StoreFailure, StoreShape } from "@rollcall/store"
import type { TimersShape } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { Cached } from "../watch/KindCache.ts"
import { stamped } from "../watch/Occurrence.ts"
import { Directories } from "./Directories.ts"
import type { KindState } from "./KindState.ts"

/** The store's own: the revision of the write, which the object bears by then, or why nothing was written. */
export type StoreReply = Parameters<StoreShape["write"]>[1]

interface Waiter {
  readonly revision: Revision
  readonly callback: () => void
}

/** What is there, as the newest revision shows it, and who waits for a revision that is yet to be shown. */
export class Objects {
  readonly store: StoreShape
  readonly timers: TimersShape
  readonly directories = new Directories()
  /** The revision that reads show. */
  shown: Revision = 0
  private waiting: Array<Waiter> = []

  constructor(store: StoreShape, timers: TimersShape) {
    this.store = store
    this.timers = timers
  }

  /** Takes what the store holds into the cache, without telling anybody. What is no object keeps no other out. */
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

  /** Shows the next revision. True: the caller applies it; false: others come before it, by the store's watch, and it with them. */
  advance(revision: Revision): boolean {
    if (revision !== this.shown + 1) return false
    this.shown = revision
    return true
  }

  /** Calls once reads show this revision, at once if they do; returns what calls it off. */
  whenAt(revision: Revision, callback: () => void): () => void {
    if (revision <= this.shown) {
      callback()
      return () => {}
    }
    return this.wait(revision, callback)
  }

  /** Calls once reads show all that the store holds by now: where to look again after a failed comparison. */
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

  /** Calls those whose revision is shown, in the order in which they came; one that throws keeps none of the others waiting. */
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

  /** What a reply throws ends no more than itself: the store goes on with the answers of the same round. */
  tell(reply: StoreReply, result: Parameters<StoreReply>[0]): void {
    try {
      reply(result)
    } catch (error) {
      this.timers.handleError("store reply", error)
    }
  }
}

/** Writes the revision into an object that nobody else holds yet. */
export const stamp = (object: KubeObject, revision: Revision): void => {
  const metadata: { resourceVersion?: string } = object.metadata
  metadata.resourceVersion = String(revision)
}
