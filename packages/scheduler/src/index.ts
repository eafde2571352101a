export { Algorithm, type AlgorithmOptions } from "./Algorithm.ts"
export type { AffinityTerm, AffinityTerms, NamespaceLabels, WeightedTerm } from "./cache/AffinityTerms.ts"
export type { HostPort, NodeInfo, PodClass, PodCount, PodInfo } from "./cache/CacheRecords.ts"
export type { LabelSelection } from "./cache/LabelSelection.ts"
export type { NodeChange } from "./cache/NodeChange.ts"
export type { PodDemand, ScalarDemand } from "./cache/PodDemand.ts"
export { SchedulingCache } from "./cache/SchedulingCache.ts"
export type { TaintSet } from "./cache/TaintSets.ts"
export type { Topology } from "./cache/Topology.ts"
export { claimNamesOf, Volumes } from "./cache/Volumes.ts"
export type { SpreadOwner, Workloads } from "./cache/Workloads.ts"
export type { Decision } from "./Decision.ts"
export { failureMessage, rejectingPlugins } from "./FailureMessage.ts"
export { feasibleNodesToFind } from "./FeasibleNodes.ts"
export { type Filtered, type FilterOptions, filterNodes } from "./Filtering.ts"
export { Nominations } from "./Nominations.ts"
export {
  type FilterPlugin,
  MAX_NODE_SCORE,
  type NodeCheck,
  type Prepared,
  type Rejection,
  type ScorePlugin,
  skip
} from "./Plugin.ts"
export { type PreemptionContext, type PreemptionResult, preempt } from "./Preemption.ts"
export { defaultProfile, type Profile } from "./Profile.ts"
export { backoffAfter } from "./queue/backoff.ts"
export type { QueuedPod, QueuePlace } from "./queue/QueuedPod.ts"
export type { SchedulingEvent } from "./queue/SchedulingEvent.ts"
export { defaultQueueOptions, type QueueObserver, type QueueOptions, SchedulingQueue } from "./queue/SchedulingQueue.ts"
export { Scheduler, type SchedulerParts } from "./Scheduler.ts"
export { defaultSchedulerConfig, type SchedulerConfig } from "./SchedulerConfig.ts"
export { KubeScheduler } from "./SchedulerLive.ts"
export { noMeter, type SchedulerMeter, schedulerMeter } from "./SchedulerMeter.ts"
export { pickBest, scoreNodes } from "./Scoring.ts"
