const NANOS_PER_MS = 1e6
const NANOS_PER_SECOND = 1e9

/**
 * A token bucket that starts full and refills with time. Times are milliseconds on any clock that does not run
 * backwards. As upstream, they are counted in whole nanoseconds, and rates are float32: so 0.1/s admits again after
 * exactly 10 s, but 0.01/s does not after 100 s. Upstream: client-go/util/flowcontrol/throttle.go over
 * golang.org/x/time/rate.
 */
export class TokenBucket {
  /** Tokens per second, as given; `rate` is the same number as a float32. */
  readonly qps: number
  readonly burst: number
  private readonly rate: number
  private tokens: number
  private lastMs = Number.NEGATIVE_INFINITY

  constructor(qps: number, burst: number) {
    this.qps = qps
    this.burst = burst
    this.rate = Math.fround(qps)
    this.tokens = burst
  }

  /** Takes a token if one is available, or would be within a nanosecond. A refused call changes nothing. */
  tryTake(nowMs: number): boolean {
    if (this.rate === Number.POSITIVE_INFINITY) return true
    if (!this.admits(nowMs)) return false
    this.tokens = this.tokensAt(nowMs) - 1
    this.lastMs = nowMs
    return true
  }

  /**
   * Takes a token in any case, and returns how many milliseconds to wait before acting on it: each reservation waits
   * for the earlier ones. Returns Infinity if the bucket never refills.
   */
  reserve(nowMs: number): number {
    if (this.rate === Number.POSITIVE_INFINITY) return 0
    const left = this.tokensAt(nowMs) - 1
    this.tokens = left
    this.lastMs = nowMs
    return left < 0 ? this.waitNanos(-left) / NANOS_PER_MS : 0
  }

  /**
   * The first time at which `tryTake` succeeds, in whole milliseconds since the last take; Infinity when the bucket
   * never refills.
   */
  admitsAt(nowMs: number): number {
    if (this.rate === Number.POSITIVE_INFINITY || this.admits(nowMs)) return nowMs
    if (this.burst < 1) return Number.POSITIVE_INFINITY
    let atMs = Math.max(nowMs, this.lastMs + Math.ceil(this.waitNanos(1 - this.tokens) / NANOS_PER_MS))
    // A refill computed in one step may round to less than the missing amount.
    while (Number.isFinite(atMs) && !this.admits(atMs)) atMs++
    return atMs
  }

  /** Takes all available tokens. */
  drain(nowMs: number): void {
    this.tokens = Math.min(0, this.tokensAt(nowMs))
    this.lastMs = nowMs
  }

  /** Available tokens, from 0 to `burst`. */
  available(nowMs: number): number {
    return Math.max(0, this.tokensAt(nowMs))
  }

  private admits(nowMs: number): boolean {
    const left = this.tokensAt(nowMs) - 1
    return this.burst >= 1 && (left >= 0 || this.waitNanos(-left) <= 0)
  }

  /** The tokens at this time; negative after reservations. */
  private tokensAt(nowMs: number): number {
    if (this.lastMs === Number.NEGATIVE_INFINITY) return this.burst
    const nanos = Math.round((nowMs - this.lastMs) * NANOS_PER_MS)
    if (nanos <= 0 || this.rate <= 0) return Math.min(this.tokens, this.burst)
    const seconds = Math.floor(nanos / NANOS_PER_SECOND)
    // Adds whole and fractional seconds as Go's Duration.Seconds does, to round the same way.
    const elapsed = seconds + (nanos - seconds * NANOS_PER_SECOND) / NANOS_PER_SECOND
    return Math.min(this.tokens + elapsed * this.rate, this.burst)
  }

  /** How long the bucket takes to gain this many tokens. */
  private waitNanos(deficit: number): number {
    return this.rate > 0 ? Math.trunc((deficit / this.rate) * NANOS_PER_SECOND) : Number.POSITIVE_INFINITY
  }
}
