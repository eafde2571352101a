import { TokenBucket } from "@rollcall/eviction/rules"

/** The delays of a failed item: the first one, which doubles with each failure, and the longest. */
export interface Backoff {
  readonly baseMs: number
  readonly maxMs: number
  /** Whether the delays of all items are within an overall rate as well; true by default. */
  readonly hasOverall?: boolean
}

const defaultBackoff: Backoff = { baseMs: 5, maxMs: 1_000_000 }
const OVERALL_QPS = 10
const OVERALL_BURST = 100

/**
 * The back-off of failed items: by default 5 ms doubling to 1000 s for each item, and at least the wait in an overall
 * token bucket of 10/s, burst 100. Upstream: client-go/util/workqueue/default_rate_limiters.go DefaultTypedControllerRateLimiter.
 */
export class Retries<K> {
  private readonly failures = new Map<K, number>()
  private readonly overall = new TokenBucket(OVERALL_QPS, OVERALL_BURST)
  private readonly backoff: Backoff

  constructor(backoff: Backoff = defaultBackoff) {
    this.backoff = backoff
  }

  /** Returns the delay of an item that has failed, in milliseconds, and counts the failure. */
  nextMs(item: K, nowMs: number): number {
    const failures = this.failures.get(item) ?? 0
    this.failures.set(item, failures + 1)
    const { baseMs, hasOverall = true, maxMs } = this.backoff
    return Math.max(Math.min(baseMs * 2 ** failures, maxMs), hasOverall ? this.overall.reserve(nowMs) : 0)
  }

  count(item: K): number {
    return this.failures.get(item) ?? 0
  }

  forget(item: K): void {
    this.failures.delete(item)
  }
}
