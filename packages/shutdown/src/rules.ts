// Groups: which pods end together, and how long each may take.

export { groupByPriority, type ShutdownGroup } from "./plan/groupByPriority.ts"
export { killGrace, killTimeoutSeconds } from "./plan/killGrace.ts"

// The status of a pod that a shutdown ended.

export { terminatedStatus } from "./plan/terminatedStatus.ts"

// Configuration: the two older settings, as groups by priority.

export { migrateConfig } from "./config/shutdownBuckets.ts"
