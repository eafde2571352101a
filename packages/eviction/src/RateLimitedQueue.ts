import { type Limiter, swapLimiter } from "./Limiter.ts"
import { isDue, type TimedEntry, TimedQueue } from "./TimedQueue.ts"

/** The result of processing an entry: done, or to be retried after `waitMs`. */
export type Outcome = { readonly done: true } | { readonly done: false; readonly waitMs: number }

/** The outcome of an entry that is finished: it leaves the queue, and stays known. */
export const done: Outcome = { done: true }

/** The outcome that requeues an entry: it is due later than now, and not before `waitMs` have passed. */
export const retryAfter = (waitMs: number): Outcome => ({ done: false, waitMs })

/**
 * A queue of unique names with a rate limit on their processing.
 *
 * `try` is for callers that act synchronously. A caller that takes time to act calls `next`, acts, and calls `settle`;
 * it must not swap the limiter in between (upstream holds a lock). All times are milliseconds on one clock. Upstream:
 * pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go RateLimitedTimedQueue.
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

  /** Number of queued names. */
  get size(): number {
    return this.queue.size
  }

  /** Queued names, in no order. */
  queued(): Array<string> {
    return this.queue.queued()
  }

  /** Queued names, in the order in which they are due. */
  inOrder(): Array<string> {
    return this.queue.inOrder()
  }

  /** Names that `add` refuses: queued ones, and processed ones that were not removed. */
  known(): Array<string> {
    return this.queue.known()
  }

  /** Whether `add` refuses the name. */
  has(value: string): boolean {
    return this.queue.has(value)
  }

  /** Queues a name, due now. Returns false if it is queued or was processed, and has not been removed since. */
  add(value: string, nowMs: number): boolean {
    return this.queue.add(value, nowMs)
  }

  /** Queues a name, due now and behind the others, whether or not it is known: as `remove` and `add` do, in one step. */
  addAfresh(value: string, nowMs: number): void {
    this.queue.addAfresh(value, nowMs)
  }

  /** Forgets a name. Returns false if it is not known. */
  remove(value: string): boolean {
    return this.queue.remove(value)
  }

  clear(): void {
    this.queue.clear()
  }

  /** Changes the rate, in evictions per second; see `swapLimiter` for what carries over. */
  swapLimiter(qps: number, nowMs: number): Limiter {
    this.current = swapLimiter(this.current, qps, nowMs)
    return this.current
  }

  /**
   * The entry to act on now, if one is due and a token is available. The entry stays in the queue until it is settled.
   * As upstream, the token is taken before the due time is checked: a head that waits for its retry takes every token
   * that becomes available.
   */
  next(nowMs: number): TimedEntry | undefined {
    const head = this.queue.head()
    if (head === undefined || !this.current.tryTake(nowMs) || !isDue(head, nowMs)) return undefined
    return head
  }

  /**
   * Records the outcome for the entry that `next(nowMs)` returned. An entry that was removed meanwhile is not
   * requeued.
   */
  settle(entry: TimedEntry, outcome: Outcome, nowMs: number): void {
    const { addedAt, value } = entry
    if (outcome.done) this.queue.removeFromQueue(value)
    else this.queue.replace({ value, addedAt, processAt: nowMs + outcome.waitMs, strictlyAfter: true })
  }

  /** Processes entries while tokens are available and entries are due. Returns their number. */
  try(nowMs: number, act: (entry: TimedEntry) => Outcome): number {
    let count = 0
    for (let entry = this.next(nowMs); entry !== undefined; entry = this.next(nowMs)) {
      this.settle(entry, act(entry), nowMs)
      count++
    }
    return count
  }
}
