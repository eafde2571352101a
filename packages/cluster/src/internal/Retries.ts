import { TokenBucket } from "@rollcall/eviction/rules"

const BASE_MS = 5
const MAX_MS = 1_000_000
const OVERALL_QPS = 10
const OVERALL_BURST = 100

/**
 * The back-off of failed items: 5 ms doubling to 1000 s for each item, and at least the wait in an overall token bucket
 * of 10/s, burst 100. Upstream: client-go/util/workqueue/default_rate_limiters.go DefaultTypedControllerRateLimiter.
 */
export class Retries<K> {
  private readonly failures = new Map<K, number>()
  private readonly overall = new TokenBucket(OVERALL_QPS, OVERALL_BURST)

  /** Returns the delay of an item that has failed, in milliseconds, and counts the failure. */
  nextMs(item: K, nowMs: number): number {
    const failures = this.failures.get(item) ?? 0
    this.failures.set(item, failures + 1)
    return Math.max(Math.min(BASE_MS * 2 ** failures, MAX_MS), this.overall.reserve(nowMs))
  }

  count(item: K): number {
    return this.failures.get(item) ?? 0
  }

  forget(item: K): void {
    this.failures.delete(item)
  }
}
