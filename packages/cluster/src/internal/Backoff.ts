import type { Rng } from "@rollcall/time"

export interface BackoffOptions {
  readonly initialMs: number
  readonly maxMs: number
  /** A pause in failures after which the delay starts anew. */
  readonly resetMs: number
  /** A delay d becomes d to d * (1 + jitter). */
  readonly jitter: number
}

/** What client-go's reflector uses for lists and watches. Upstream: client-go/tools/cache/reflector.go. */
export const reflectorBackoff: BackoffOptions = { initialMs: 800, maxMs: 30_000, resetMs: 120_000, jitter: 1 }

/** Doubling delays with jitter. Upstream: apimachinery/pkg/util/wait/backoff.go, NewExponentialBackoffManager. */
export class Backoff {
  private readonly options: BackoffOptions
  private readonly chance: Rng
  private delayMs: number
  private lastAt = Number.NEGATIVE_INFINITY

  constructor(options: BackoffOptions, chance: Rng) {
    this.options = options
    this.chance = chance
    this.delayMs = options.initialMs
  }

  nextMs(now: number): number {
    const { initialMs, jitter, maxMs, resetMs } = this.options
    if (now - this.lastAt > resetMs) this.delayMs = initialMs
    this.lastAt = now
    const delay = this.delayMs
    this.delayMs = Math.min(delay * 2, maxMs)
    return delay * (1 + jitter * this.chance())
  }
}
