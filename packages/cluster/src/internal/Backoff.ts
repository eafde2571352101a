import type { Rng } from "@rollcall/time"

export interface BackoffOptions {
  readonly initialMs: number
  readonly maxMs: number
  /** The time without failures after which the delay is reset. */
  readonly resetMs: number
  /** A delay d is drawn from d to d * (1 + jitter). */
  readonly jitter: number
}

/** The back-off of client-go's reflector for lists and watches. Upstream: client-go/tools/cache/reflector.go. */
export const reflectorBackoff: BackoffOptions = { initialMs: 800, maxMs: 30_000, resetMs: 120_000, jitter: 1 }

/** Exponential back-off with jitter. Upstream: apimachinery/pkg/util/wait/backoff.go, NewExponentialBackoffManager. */
export class Backoff {
  private readonly options: BackoffOptions
  private readonly random: Rng
  private delayMs: number
  private lastFailureMs = Number.NEGATIVE_INFINITY

  constructor(options: BackoffOptions, random: Rng) {
    this.options = options
    this.random = random
    this.delayMs = options.initialMs
  }

  /** Returns the delay after a failure at `now`, both in milliseconds, and raises the next one. */
  nextMs(now: number): number {
    const { initialMs, jitter, maxMs, resetMs } = this.options
    if (now - this.lastFailureMs > resetMs) this.delayMs = initialMs
    this.lastFailureMs = now
    const delay = this.delayMs
    this.delayMs = Math.min(delay * 2, maxMs)
    return delay * (1 + jitter * this.random())
  }
}
