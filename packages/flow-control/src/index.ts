// Flow control: limits of requests in flight, and API Priority and Fairness.

export { Dispatcher, type DispatcherOptions } from "./Dispatcher.ts"
export { dumpPriorityLevels, dumpQueues, dumpRequests } from "./dumps.ts"
export type { FlowConfiguration } from "./FlowConfiguration.ts"
export type { FlowControl, FlowRequest, FlowRequestInfo, FlowUser, FlowWork, Place } from "./FlowControl.ts"
export { addFlowMetrics, flowFamilies, flowGauges, levelGauges } from "./gauges.ts"
export { startsWithList } from "./limits.ts"
export { defaultInFlightLimits, type InFlightLimits, MaxInFlight } from "./MaxInFlight.ts"
