import type { KubeObject } from "@rollcall/api"
import { type Change, type Revision, StoreFailure } from "@rollcall/store"
import { guarded, type Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Occurrence, withResourceVersion, withStoredRevision } from "../watch/Occurrence.ts"
import { ROOT } from "./Directories.ts"
import type { KindState } from "./KindState.ts"
import { type History, loadHistory, occurrenceOf, revisionOf, sharedObjects } from "./loadHistory.ts"
import type { Objects } from "./Objects.ts"

/** How long to wait before a store that failed is read again. Upstream: client-go's reflector waits 0.8 to 30 seconds. */
const RETRY_MS = 1000

/** Reads the contents of the store at startup, and watches for writes of other processes. */
export class StoreFeed {
  private readonly objects: Objects
  private stopWatch: () => void = () => {}
  private retry: Timer | undefined

  constructor(objects: Objects) {
    this.objects = objects
  }

  stop(): void {
    this.stopWatch()
    if (this.retry !== undefined) this.objects.timers.cancel(this.retry)
  }

  /**
   * Reads the contents of the store and watches it from there. Also called when the watch has lost changes: then the
   * caches are replaced, and all watches of clients end.
   */
  start(ready: (error: StoreFailure | undefined) => void): void {
    this.objects.store.range(ROOT, {}, (result) => {
      if (Result.isFailure(result)) {
        const { failure } = result
        const message = "the history of the store was compacted while it was read"
        return ready(failure._tag === "StoreFailure" ? failure : new StoreFailure({ message }))
      }
      const { entries, revision } = result.success
      for (const { cache, expiry } of this.objects.directories.values()) {
        cache.clear()
        expiry?.clear()
      }
      for (const { key, modRevision, value } of entries) this.objects.addStored(key, value as KubeObject, modRevision)
      const first = this.objects.shownRevision === 0
      this.objects.shownRevision = revision
      for (const { channel } of this.objects.directories.values()) channel.restart(revision)
      this.objects.wakeWaiters()
      const follow = () => {
        this.follow()
        ready(undefined)
      }
      if (first && revision > 0) this.loadHistory(revision, follow)
      else follow()
    })
  }

  /** Loads the store's history before the start, so that clients can resume watches of an earlier server. */
  private loadHistory(revision: Revision, done: () => void): void {
    loadHistory(this.objects.store, ROOT, revision, (history) => {
      if (history !== undefined) this.fillChannels(history)
      done()
    })
  }

  /** Fills the channel of each kind with as many of its last changes as it keeps: only these are read. */
  private fillChannels({ changes, floor }: History): void {
    const { directories, timers } = this.objects
    const kept = new Map<KindState, Array<Change>>()
    const floors = new Map<KindState, Revision>()
    for (let at = changes.length - 1; at >= 0; at--) {
      const change = changes[at] as Change
      const state = directories.placeOf(change.type === "put" ? change.entry.key : change.key)?.state
      if (state === undefined) continue
      const own = kept.get(state)
      if (own === undefined) kept.set(state, [change])
      else if (own.length < state.definition.watchHistoryEvents) own.push(change)
      else if (!floors.has(state)) floors.set(state, revisionOf(change))
    }
    const objectOf = sharedObjects((key) => {
      const place = directories.placeOf(key)
      return place?.state.cache.get(place.namespace, place.name)
    })
    for (const state of directories.values()) {
      const occurrences: Array<Occurrence> = []
      for (const change of kept.get(state)?.reverse() ?? []) {
        guarded(timers, "stored history", () => occurrences.push(occurrenceOf(change, objectOf)))
      }
      state.channel.loadHistory(floors.get(state) ?? floor, occurrences)
    }
  }

  private follow(): void {
    this.stopWatch = this.objects.store.watch(ROOT, this.objects.shownRevision, {
      skipsQuiet: true,
      changes: (batch) => this.receive(batch),
      progress: (revision) => this.progress(revision),
      end: (error) => {
        // Other errors need no action here: a failed store reports its failure to every write.
        if (error?._tag !== "StoreCompacted") return
        // The watch fell behind a burst. If the acknowledgements of the server's own writes covered what it missed, it
        // continues; otherwise writes of other processes are lost, and only reading everything again recovers them.
        if (error.oldest <= this.objects.shownRevision + 1) this.follow()
        else this.restart()
      }
    })
  }

  /** Reads everything again, until that succeeds. */
  private restart(): void {
    this.start((error) => {
      if (error === undefined) return
      const { timers } = this.objects
      timers.handleError("store watch", error)
      this.retry = timers.after(RETRY_MS, () => this.restart())
    })
  }

  /** Shows a revision whose changes are of keys that are not the server's. */
  private progress(revision: Revision): void {
    if (revision <= this.objects.shownRevision) return
    this.objects.shownRevision = revision
    this.objects.wakeWaiters()
  }

  private receive(batch: ReadonlyArray<Change>): void {
    const applied = this.objects.shownRevision
    for (const change of batch) {
      const revision = change.type === "put" ? change.entry.modRevision : change.revision
      if (revision <= applied) continue
      this.objects.shownRevision = revision
      // An unreadable change is skipped, because the rest of the batch is not delivered again.
      try {
        this.receiveOne(change, revision)
      } catch (error) {
        this.objects.timers.handleError("store watch", error, { revision })
      }
    }
    if (this.objects.shownRevision !== applied) this.objects.wakeWaiters()
  }

  private receiveOne(change: Change, revision: Revision): void {
    const place = this.objects.directories.placeOf(change.type === "put" ? change.entry.key : change.key)
    if (place === undefined) return
    const { name, namespace, state } = place
    if (change.type === "put") {
      this.objects.applyPut(
        state,
        namespace,
        name,
        withStoredRevision(change.entry.value as KubeObject, revision),
        revision
      )
      return
    }
    const cached = state.cache.get(namespace, name)
    if (cached !== undefined)
      this.objects.applyRemove(state, cached, withResourceVersion(cached.object, revision), revision)
  }
}
