// The service that evicts within those limits.

export {
  type Evict,
  EvictionLimiter,
  type EvictionLimiterOptions,
  type EvictionObserver,
  type QueuedEviction
} from "./EvictionLimiter.ts"
export type { Poll } from "./serveZones.ts"
