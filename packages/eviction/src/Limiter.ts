import { TokenBucket } from "./TokenBucket.ts"

/** A rate limiter: each eviction takes one token. */
export interface Limiter {
  readonly kind: "tokenBucket" | "always" | "never"
  /** The rate that the limiter reports. `always` and `never` report 1, as upstream's do. */
  readonly qps: number
  /** Takes a token if one is available; returns whether it did. */
  readonly tryTake: (nowMs: number) => boolean
  /** When a token is available, at `nowMs` or later; Infinity if never. Takes none. */
  readonly admitsAt: (nowMs: number) => number
  /** Takes all available tokens. */
  readonly drain: (nowMs: number) => void
}

/** Burst of the token buckets of the node lifecycle controller. */
export const EVICTION_BURST = 1

const doNothing = () => {}

/** A limiter that always admits. */
export const alwaysLimiter: Limiter = {
  kind: "always",
  qps: 1,
  tryTake: () => true,
  admitsAt: (nowMs) => nowMs,
  drain: doNothing
}

/** A limiter that never admits. */
export const neverLimiter: Limiter = {
  kind: "never",
  qps: 1,
  tryTake: () => false,
  admitsAt: () => Number.POSITIVE_INFINITY,
  drain: doNothing
}

/** The effective rate of a limiter, in tokens per second. */
export const limiterRate = ({ kind, qps }: Limiter): number => (kind === "never" ? 0 : qps)

class BucketLimiter extends TokenBucket implements Limiter {
  readonly kind = "tokenBucket"
}

/** A limiter that starts with a full bucket. At rate 0 it admits its first tokens, but never refills. */
export const tokenBucketLimiter = (qps: number, burst = EVICTION_BURST): Limiter => new BucketLimiter(qps, burst)

/**
 * Returns the limiter for a new rate: the current one if it reports that rate; else one that never admits (rate 0 or
 * less), or a new bucket, which is empty if the current limiter would refuse now.
 *
 * Kept from upstream: the never-admitting limiter reports rate 1, so a rate of exactly 1 cannot replace it; and a
 * bucket of rate 0 reports 0, so a new rate of 0 does not take its first token away.
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
