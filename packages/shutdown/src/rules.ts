// Plain code, without Effect.

// How a shutdown is configured.

export type { ShutdownBucket, ShutdownConfig, ShutdownGates } from "./config/ShutdownConfig.ts"
export { delayRequested, migrateConfig, shutdownBuckets } from "./config/shutdownBuckets.ts"
export { validateShutdownConfig } from "./config/validateShutdownConfig.ts"

// A plan: which pod ends when.

export {
  type PlannedPod,
  type PlanOptions,
  planShutdown,
  type ShutdownPhase,
  type ShutdownPlan
} from "./plan/planShutdown.ts"
export type { ShutdownPod } from "./plan/ShutdownPod.ts"

// Its parts: which pods end together, and how long each may take.

export { groupByPriority, type ShutdownGroup } from "./plan/groupByPriority.ts"
export { killGrace, killTimeoutSeconds } from "./plan/killGrace.ts"
