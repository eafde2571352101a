import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { Cached } from "../watch/KindCache.ts"

interface Entry {
  readonly cached: Cached
  readonly revision: number
  readonly at: number
}

/**
 * Removes objects, such as events, that have not been written for a while. Every write of one is appended to a queue,
 * and one timer waits for the first entry; entries of objects written again since are skipped.
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

  note(cached: Cached): void {
    const at = this.timers.now() + this.afterMs
    this.entries.push({ cached, revision: cached.revision, at })
    this.timer ??= this.timers.at(at, this.fire)
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
    for (let entry = this.entries[this.head]; entry !== undefined && entry.at <= now; entry = this.entries[this.head]) {
      this.head++
      const { cached, revision } = entry
      if (cached.revision === revision) guarded(this.timers, "expiry", () => this.expire(cached), { key: cached.key })
    }
    if (this.head * 2 > this.entries.length) {
      this.entries = this.entries.slice(this.head)
      this.head = 0
    }
    const next = this.entries[this.head]
    if (next !== undefined) this.timer = this.timers.at(next.at, this.fire)
  }
}
