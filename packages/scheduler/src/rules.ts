// One pass over the nodes: how many to check, which fit, which is best, and the message for an unschedulable pod.

export { failureMessage, rejectingPlugins } from "./FailureMessage.ts"
export { feasibleNodesToFind } from "./FeasibleNodes.ts"
export type { Filtered } from "./Filtered.ts"
export { type FilterOptions, filterNodes } from "./Filtering.ts"
export { pickBest, type ScoreBuffers, scoreNodes } from "./Scoring.ts"

// Preemption: which pods make room.

export { defaultPreemptionLimits, type PreemptionContext, type PreemptionResult, preempt } from "./Preemption.ts"

// The queue: how long a pod that did not fit waits.

export { backoffAfter } from "./queue/backoff.ts"

// The default plugins that filter.

export { interPodAffinity } from "./plugins/InterPodAffinity.ts"
export { nodeAffinity } from "./plugins/NodeAffinity.ts"
export { nodeCondition } from "./plugins/NodeCondition.ts"
export { nodeDeclaredFeatures } from "./plugins/NodeDeclaredFeatures.ts"
export { nodeName } from "./plugins/NodeName.ts"
export { nodePorts } from "./plugins/NodePorts.ts"
export { nodeResourcesFit } from "./plugins/NodeResourcesFit.ts"
export { nodeUnschedulable } from "./plugins/NodeUnschedulable.ts"
export { nodeVolumeLimits } from "./plugins/NodeVolumeLimits.ts"
export { podTopologySpread } from "./plugins/PodTopologySpread.ts"
export { taintToleration } from "./plugins/TaintToleration.ts"
export { volumeRestrictions } from "./plugins/VolumeRestrictions.ts"
export { volumeZone } from "./plugins/VolumeZone.ts"

// The default plugins that score.

export { balancedAllocation } from "./plugins/BalancedAllocation.ts"
export { imageLocality } from "./plugins/ImageLocality.ts"
export { interPodAffinityScore } from "./plugins/InterPodAffinityScore.ts"
export { leastAllocated } from "./plugins/LeastAllocated.ts"
export { nodeAffinityScore } from "./plugins/NodeAffinity.ts"
export { podTopologySpreadScore } from "./plugins/PodTopologySpreadScore.ts"
export { taintTolerationScore } from "./plugins/TaintToleration.ts"

// The same with arguments, as a configuration's pluginConfig gives them.

export { balancedAllocationOver } from "./plugins/BalancedAllocation.ts"
export { type InterPodAffinityArgs, interPodAffinityScoreWith } from "./plugins/InterPodAffinityScore.ts"
export { nodeAffinityScoreWith, nodeAffinityWith } from "./plugins/NodeAffinity.ts"
export { type IgnoredResources, nodeResourcesFitWith } from "./plugins/NodeResourcesFit.ts"
export { podTopologySpreadWith } from "./plugins/PodTopologySpread.ts"
export { podTopologySpreadScoreWith } from "./plugins/PodTopologySpreadScore.ts"
export type { WeightedResource } from "./plugins/ResourceUsage.ts"
export { resourcesScore, type ScoringStrategy, type UtilizationShapePoint } from "./plugins/ScoringStrategy.ts"
export type { DefaultConstraint, SpreadDefaults } from "./plugins/spreadConstraints.ts"
export { type VolumeBindingArgs, volumeBindingWith } from "./plugins/VolumeBinding.ts"
