import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { Cached } from "../watch/KindCache.ts"

interface Entry {
  readonly cached: Cached
  /** The object's revision at that write. */
  readonly revision: number
  /** In milliseconds since the Unix epoch. */
  readonly expiresAtMs: number
}

/**
 * Removes objects, such as events, that have not been written for a while. Every write of one is appended to a queue,
 * and one timer waits for the first entry; entries of objects that were written again later are skipped.
 */
export class Expiry {
  private readonly timers: TimersShape
  private readonly afterMs: number
  private readonly expire: (cached: Cached) => void
  private entries: Array<Entry> = []
  private head = 0
  private timer: Timer | undefined

  constructor(timers: TimersShape, afterMs: number, expire: (cached: Cached) => void) {
    this.timers = timers
    this.afterMs = afterMs
    this.expire = expire
  }

  /** Starts the time of an object that has been written. */
  schedule(cached: Cached): void {
    const expiresAtMs = this.timers.now() + this.afterMs
    this.entries.push({ cached, revision: cached.revision, expiresAtMs })
    this.timer ??= this.timers.at(expiresAtMs, this.fire)
  }

  /** Discards all entries. */
  clear(): void {
    this.stop()
    this.entries = []
    this.head = 0
  }

  stop(): void {
    if (this.timer !== undefined) this.timers.cancel(this.timer)
    this.timer = undefined
  }

  private readonly fire = (): void => {
    this.timer = undefined
    const now = this.timers.now()
    while (this.head < this.entries.length) {
      const { cached, expiresAtMs, revision } = this.entries[this.head] as Entry
      if (expiresAtMs > now) break
      this.head++
      if (cached.revision === revision) guarded(this.timers, "expiry", () => this.expire(cached), { key: cached.key })
    }
    // Cutting the array only when half of it is used up costs a constant time for each entry.
    if (this.head * 2 > this.entries.length) {
      this.entries = this.entries.slice(this.head)
      this.head = 0
    }
    const next = this.entries[this.head]
    if (next !== undefined) this.timer = this.timers.at(next.expiresAtMs, this.fire)
  }
}
