import { guarded, type Timer, type TimersShape } from "@rollcall/time"

interface Delayed {
  readonly timer: Timer
  readonly fail: () => void
}

/** Requests and watches that wait to be sent: for a token of the rate limit, or for a Retry-After to pass. */
export class DelayedSends {
  private readonly timers: TimersShape
  private readonly waiting = new Set<Delayed>()

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  get size(): number {
    return this.waiting.size
  }

  /** Sends after the delay, or calls `fail` when `failAll` is called first; returns a function that cancels either. */
  add(delayMs: number, send: () => () => void, fail: () => void): () => void {
    let cancel: (() => void) | undefined
    const entry: Delayed = {
      timer: this.timers.after(delayMs, () => {
        this.waiting.delete(entry)
        cancel = send()
      }),
      fail
    }
    this.waiting.add(entry)
    return () => {
      if (this.waiting.delete(entry)) this.timers.cancel(entry.timer)
      cancel?.()
    }
  }

  /** Drops all waiting requests and calls `fail` of each. */
  failAll(): void {
    const failed = [...this.waiting]
    this.waiting.clear()
    for (const { fail, timer } of failed) {
      this.timers.cancel(timer)
      guarded(this.timers, "reply", fail)
    }
  }
}
