// Flow control: limits of requests in flight, and API priority and fairness.

export type { FlowControl, FlowRequest, FlowWork, Place } from "./FlowControl.ts"
export { defaultInFlightLimits, type InFlightLimits, MaxInFlight } from "./MaxInFlight.ts"
export { type PriorityAndFairnessOptions, priorityAndFairness } from "./PriorityAndFairness.ts"
