// Each function loads what it needs when it is called: importing this file takes a few milliseconds.

export type { InvalidInput, Problem } from "@rollcall/input"
export { isInvalidInput } from "./isInvalidInput.ts"
export type { Given, GivenObjects } from "./plan/documents.ts"
export type { PlanDrainOptions } from "./plan/drain.ts"
export type { PlanEvictionsOptions } from "./plan/evictions.ts"
export type { Planned } from "./plan/Planned.ts"
export type { PlannedShutdown, PlanShutdownOptions } from "./plan/shutdown.ts"
export type { PlanSwapOptions } from "./plan/swap.ts"
export { type Plans, plan } from "./plan.ts"
export { type CallOptions, simulate } from "./simulate.ts"
export type { Simulated, SimulateOptions } from "./simulateScenario.ts"
export { type ClusterOptions, type StartedCluster, type StartedFault, startCluster } from "./startCluster.ts"
