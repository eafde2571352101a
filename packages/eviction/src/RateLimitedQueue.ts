import { type Limiter, swapLimiter } from "./Limiter.ts"
import { isDue, type TimedEntry, TimedQueue } from "./TimedQueue.ts"

/** What became of a name that was handed out: done, or to be tried again after `waitMs`. */
export type Outcome = { readonly done: true } | { readonly done: false; readonly waitMs: number }

export const done: Outcome = { done: true }

/** Hand the name out again, later than now and no earlier than after `waitMs`. */
export const retryAfter = (waitMs: number): Outcome => ({ done: false, waitMs })

/**
 * A unique queue whose names are handed out at a limited rate.
 *
 * `try` serves callers that answer at once. A caller that takes time to act calls `next`, acts, and calls `settle`; it must
 * not swap the limiter in between (upstream holds a lock).
 * Upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go RateLimitedTimedQueue.
 */
export class RateLimitedQueue {
  private readonly queue = new TimedQueue()
  private current: Limiter

  constructor(limiter: Limiter) {
    this.current = limiter
  }

  get limiter(): Limiter {
    return this.current
  }

  /** Names that wait. */
  get size(): number {
    return this.queue.size
  }

  /** Names that wait, in no order. */
  queued(): Array<string> {
    return this.queue.queued()
  }

  /** Those in the order in which they are due. */
  inOrder(): Array<string> {
    return this.queue.inOrder()
  }

  known(): Array<string> {
    return this.queue.known()
  }

  has(value: string): boolean {
    return this.queue.has(value)
  }

  /** Queues a name, due now; false if it is known, waiting or processed, and was not removed since. */
  add(value: string, nowMs: number): boolean {
    return this.queue.add(value, nowMs)
  }

  /** Forgets a name; false if it is not known. */
  remove(value: string): boolean {
    return this.queue.remove(value)
  }

  clear(): void {
    this.queue.clear()
  }

  /** Goes over to another rate, in evictions per second; see `swapLimiter` for what carries over. */
  swapLimiter(qps: number, nowMs: number): Limiter {
    this.current = swapLimiter(this.current, qps, nowMs)
    return this.current
  }

  /**
   * The name to act on now, if there is one and a token for it. The name stays in the queue until it is settled.
   * As upstream, the token is taken before the due time is looked at: a head that waits for its retry costs one whenever one is there.
   */
  next(nowMs: number): TimedEntry | undefined {
    const head = this.queue.head()
    if (head === undefined || !this.current.tryTake(nowMs) || !isDue(head, nowMs)) return undefined
    return head
  }

  /** Tells what became of the name that `next(nowMs)` gave. One that was removed meanwhile does not come back. */
  settle(entry: TimedEntry, outcome: Outcome, nowMs: number): void {
    const { addedAt, value } = entry
    if (outcome.done) this.queue.removeFromQueue(value)
    else this.queue.replace({ value, addedAt, processAt: nowMs + outcome.waitMs, strictlyAfter: true })
  }

  /** Hands out names while there are tokens and names that are due; returns how many. */
  try(nowMs: number, act: (entry: TimedEntry) => Outcome): number {
    let count = 0
    for (let entry = this.next(nowMs); entry !== undefined; entry = this.next(nowMs)) {
      this.settle(entry, act(entry), nowMs)
      count++
    }
    return count
  }
}
