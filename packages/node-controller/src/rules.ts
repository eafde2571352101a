// Health: what a node's conditions are judged to be.

export { judgeNodeHealth } from "./lifecycle/NodeHealth.ts"

// Taints and labels that a node should have.

export { topologyLabelsToSet } from "./cloud/topologyLabels.ts"
export { noScheduleDifference, type TaintDifference } from "./lifecycle/ConditionTaints.ts"
export { labelsToSet } from "./lifecycle/LabelReconcile.ts"
export { decideNoExecute, type NoExecuteDecision, taintsFor } from "./lifecycle/NoExecuteDecision.ts"

// Pods: which are evicted, marked unready, deleted or collected.

export type { HealthJudgement, NodeHealth } from "./lifecycle/NodeHealth.ts"
export { type DeletionDecision, decideDeletion, isDeletedWithNode } from "./lifecycle/PodDeletion.ts"
export { podNotReady } from "./lifecycle/PodReadiness.ts"
export { podsOutOfService, podsUnscheduled, terminatedSurplus } from "./podgc/PodGc.ts"
export { type EvictionVerdict, judgeEviction } from "./tainteviction/TaintEviction.ts"

// Clouds: what an instance's absence means, which addresses a node gets.

export { type InstanceAnswers, type InstanceVerdict, judgeInstance, shutdownTaint } from "./cloud/judgeInstance.ts"
export { isUninitialized } from "./cloud/nodeAddresses.ts"
export { fromOldInstances, type OldInstances } from "./cloud/oldInstances.ts"

// Pod CIDRs: ranges of addresses, and which of their parts are taken.

export { CidrSet, type CidrSetMeter } from "./ipam/CidrSet.ts"
export { formatRange, parseRange } from "./ipam/IPRange.ts"
export { podCIDRsPatch } from "./ipam/RangeAllocator.ts"
