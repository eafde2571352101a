/** The parts of a scenario that also work on a live cluster: its events, its objects, and the trace of what is observed. */

export { makeWorkloads } from "./expect/Workloads.ts"
export { type EventContent, eventProblems, type KnownNodes, type PlannedEvent } from "./input/events.ts"
export { EventSpec } from "./input/Scenario.ts"
export { loadStaticPods } from "./input/staticPods.ts"
export { makeTrace, type Trace } from "./trace/Trace.ts"
export { followUsage } from "./usage/followUsage.ts"
export { type ActionContext, createLoaded, performAction } from "./world/actions.ts"
export { type Observation, observe } from "./world/Observation.ts"
