// The scheduler: as a layer, and as plain code.

export { Algorithm, type AlgorithmOptions } from "./Algorithm.ts"
export type { BindingFailure } from "./BindingFailure.ts"
export type { Decision } from "./Decision.ts"
export { loadDevices } from "./DeviceFeed.ts"
export { CurrentPodListing, type PodListing } from "./PodListing.ts"
export { Scheduler } from "./Scheduler.ts"
export { KubeScheduler } from "./SchedulerLive.ts"
export type { SchedulerParts } from "./SchedulerParts.ts"

// How it is configured.

export { type DecodedConfiguration, type DecodeOptions, decodeSchedulerConfiguration } from "./config/decode.ts"
export type { Reader } from "./config/Reader.ts"
export type { PreemptionLimits } from "./Preemption.ts"
export { defaultProfile, type Profile } from "./Profile.ts"
export { defaultSchedulerConfig, type NamedProfile, type SchedulerConfig } from "./SchedulerConfig.ts"

// Plugins of your own: what they are, and what they are given.

export type {
  BindingPoints,
  BindingTask,
  BindingTools,
  Hold,
  PermitPlugin,
  PostBindPlugin,
  PreBindPlugin,
  Refusal,
  ReservePlugin,
  WaitingPod
} from "./BindingPlugin.ts"
export { type PluginFactory, type PluginParts, type PluginRegistry, plain } from "./config/plugins.ts"
export type {
  FilterPlugin,
  Hint,
  NodeCheck,
  Prepared,
  Rejection,
  ScorePlugin
} from "./Plugin.ts"
export { type VolumeBinding, volumeBinding } from "./plugins/VolumeBinding.ts"
export { type Plugins, SchedulerPlugins } from "./SchedulerPlugins.ts"

// The cluster that it sees.

export type { AffinityTerm, AffinityTerms, NamespaceLabels, WeightedTerm } from "./cache/AffinityTerms.ts"
export type { HostPort, NodeInfo, PodClass, PodCount, PodInfo } from "./cache/CacheRecords.ts"
export type { LabelSelection } from "./cache/LabelSelection.ts"
export type { NodeChange } from "./cache/NodeChange.ts"
export type { PodDemand, ScalarDemand } from "./cache/PodDemand.ts"
export type { InlineDisk, InlineSource, PodVolumes } from "./cache/PodVolumes.ts"
export { SchedulingCache } from "./cache/SchedulingCache.ts"
export type { TaintSet } from "./cache/TaintSets.ts"
export type { Topology } from "./cache/Topology.ts"
export type { Volumes } from "./cache/Volumes.ts"
export type { SpreadOwner, Workloads } from "./cache/Workloads.ts"
export type { Nominations } from "./Nominations.ts"
export type { AssumedVolumes, VolumePlan } from "./volumes/AssumedVolumes.ts"

// Its queue.

export type { QueuedPod, QueuePlace } from "./queue/QueuedPod.ts"
export type { PodChange, SchedulingEvent } from "./queue/SchedulingEvent.ts"
export type { QueueObserver, QueueOptions, SchedulingQueue } from "./queue/SchedulingQueue.ts"

// Metrics.

export type { SchedulerMeter } from "./SchedulerMeter.ts"
