// Plain code, without Effect.

// Zones: how healthy one is, and how fast its nodes may be evicted.

export { type DisruptionDecision, type DisruptionMode, decideDisruption, type ZoneStates } from "./Disruption.ts"
export { EvictionZone, EvictionZones } from "./EvictionZones.ts"
export {
  computeZoneState,
  countsAsReady,
  type DisruptionFlags,
  defaultDisruptionFlags,
  rateOf,
  type ZoneCounts,
  type ZoneHealth,
  type ZoneState
} from "./ZoneState.ts"

// Limits: the queue of a zone and its token bucket.

export { alwaysLimiter, type Limiter, limiterRate, neverLimiter, swapLimiter, tokenBucketLimiter } from "./Limiter.ts"
export { done, type Outcome, RateLimitedQueue, retryAfter } from "./RateLimitedQueue.ts"
export type { TimedEntry } from "./TimedQueue.ts"
export { TokenBucket } from "./TokenBucket.ts"
