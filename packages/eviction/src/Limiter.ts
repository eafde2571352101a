import { TokenBucket } from "./TokenBucket.ts"

/** Gates evictions: one token each. */
export interface Limiter {
  readonly kind: "tokenBucket" | "always" | "never"
  /** The rate that the limiter says it has. `always` and `never` say 1, as upstream's do. */
  readonly qps: number
  readonly tryTake: (nowMs: number) => boolean
  /** When a token is there, now or later; Infinity: never. Takes none. */
  readonly admitsAt: (nowMs: number) => number
  /** Takes what there is. */
  readonly drain: (nowMs: number) => void
}

/** Burst of the buckets of the node lifecycle controller. */
export const EVICTION_BURST = 1

const ignore = () => {}

export const alwaysLimiter: Limiter = {
  kind: "always",
  qps: 1,
  tryTake: () => true,
  admitsAt: (nowMs) => nowMs,
  drain: ignore
}

export const neverLimiter: Limiter = {
  kind: "never",
  qps: 1,
  tryTake: () => false,
  admitsAt: () => Number.POSITIVE_INFINITY,
  drain: ignore
}

/** Tokens per second that a limiter gives. */
export const limiterRate = ({ kind, qps }: Limiter): number => (kind === "never" ? 0 : qps)

class BucketLimiter extends TokenBucket implements Limiter {
  readonly kind = "tokenBucket"
}

/** A full bucket. A rate of 0 keeps its first tokens and never gets others. */
export const tokenBucketLimiter = (qps: number, burst = EVICTION_BURST): Limiter => new BucketLimiter(qps, burst)

/**
 * The limiter to use from now on at a new rate: the same one if it says that it has that rate; else one that never admits
 * (rate 0 or less), or a new bucket that is empty if the old limiter would have refused now.
 *
 * Kept from upstream: the never-admitting limiter says rate 1, so a rate of exactly 1 cannot replace it; and a bucket of rate 0
 * says 0, so a rate of 0 does not take its first token away.
 * Upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go SwapLimiter.
 */
export const swapLimiter = (current: Limiter, qps: number, nowMs: number): Limiter => {
  const rate = Math.fround(qps)
  if (Math.fround(current.qps) === rate) return current
  if (rate <= 0) return neverLimiter
  const next = tokenBucketLimiter(qps)
  if (!current.tryTake(nowMs)) next.tryTake(nowMs)
  return next
}
