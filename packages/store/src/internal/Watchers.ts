import { guarded, type TimersShape } from "@rollcall/time"
import { type Change, type Revision, StoreCompacted, type StoreSink } from "../Store.ts"
import { type History, keyOfChange } from "./History.ts"

interface Watcher {
  readonly prefix: string
  readonly sink: StoreSink
  /** All changes up to this revision have been delivered. */
  delivered: Revision
  active: boolean
}

/**
 * Delivers history to watchers: one `soon` callback for each burst of writes, and one call for each watcher with all
 * its undelivered changes.
 */
export class Watchers {
  private readonly history: History
  private readonly timers: TimersShape
  private readonly watchers = new Set<Watcher>()
  private isScheduled = false

  constructor(history: History, timers: TimersShape) {
    this.history = history
    this.timers = timers
  }

  add(prefix: string, from: Revision, sink: StoreSink): () => void {
    const watcher: Watcher = { prefix, sink, delivered: from, active: true }
    this.watchers.add(watcher)
    if (from !== this.history.newest) this.schedule()
    return () => {
      watcher.active = false
      this.watchers.delete(watcher)
    }
  }

  /** Schedules a delivery to all watchers, unless one is scheduled already. */
  schedule(): void {
    if (this.isScheduled || this.watchers.size === 0) return
    this.isScheduled = true
    this.timers.soon(this.deliverAll)
  }

  /** Handles a quiet write at the newest revision: who skips it is up to date again at once. */
  wroteQuietly(): void {
    const { newest } = this.history
    for (const watcher of this.watchers) {
      if (watcher.sink.skipsQuiet !== true) this.schedule()
      else if (watcher.delivered === newest - 1) watcher.delivered = newest
    }
  }

  private readonly deliverAll = (): void => {
    this.isScheduled = false
    for (const watcher of this.watchers) {
      if (!watcher.active) continue
      const isDelivered = guarded(this.timers, "store watch", () => this.deliver(watcher), { prefix: watcher.prefix })
      if (!isDelivered) this.endFailed(watcher)
    }
  }

  /**
   * Ends a watcher whose sink threw. StoreCompacted tells it to list again, because it may have missed changes. The other
   * watchers are still called.
   */
  private endFailed(watcher: Watcher): void {
    const { newest } = this.history
    watcher.active = false
    this.watchers.delete(watcher)
    const error = new StoreCompacted({ requested: watcher.delivered, oldest: newest + 1 })
    guarded(this.timers, "store watch", () => watcher.sink.end(error), { prefix: watcher.prefix })
  }

  private deliver(watcher: Watcher): void {
    const { history } = this
    if (watcher.delivered >= history.newest) return
    if (watcher.delivered < history.oldest - 1) {
      watcher.active = false
      this.watchers.delete(watcher)
      watcher.sink.end(new StoreCompacted({ requested: watcher.delivered, oldest: history.oldest }))
      return
    }
    const until = history.newest
    const batch =
      until === watcher.delivered + 1 && !history.isQuiet(until)
        ? this.changesAt(watcher.prefix, until)
        : this.undeliveredChanges(watcher, until)
    watcher.delivered = until
    if (batch.length > 0) watcher.sink.changes(batch)
  }

  /** Returns the matching changes of one revision. Usually there is only one, and no list is grown. */
  private changesAt(prefix: string, revision: Revision): ReadonlyArray<Change> {
    const changes = this.history.at(revision)
    if ("type" in changes) return matches(changes, prefix) ? [changes] : noChanges
    return changes.filter((change) => matches(change, prefix))
  }

  private undeliveredChanges({ delivered, prefix, sink }: Watcher, until: Revision): ReadonlyArray<Change> {
    const batch: Array<Change> = []
    for (let revision = delivered + 1; revision <= until; revision++) {
      if (sink.skipsQuiet === true && this.history.isQuiet(revision)) continue
      const changes = this.history.at(revision)
      if (!("type" in changes)) batch.push(...this.changesAt(prefix, revision))
      else if (matches(changes, prefix)) batch.push(changes)
    }
    return batch
  }
}

const noChanges: ReadonlyArray<Change> = []

const matches = (change: Change, prefix: string): boolean => keyOfChange(change).startsWith(prefix)
