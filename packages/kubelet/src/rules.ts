// The Lease: when it is renewed, and what follows an answer.

export {
  beginLeaseSync,
  type HasOwner,
  type LeaseAction,
  type LeaseStep,
  type LeaseSync,
  leaseAnswered,
  leaseOwnerRead,
  leaseSlept
} from "./nodelease/LeaseSync.ts"

// Registration: what a kubelet sends until its Node exists.

export {
  beginRegistration,
  type Outcome,
  type Registration,
  type RegistrationAction,
  type RegistrationOptions,
  type RegistrationStep,
  registrationAnswered,
  registrationSlept
} from "./node/Registration.ts"

// The Node's status: what it is, whether it changed, and when it is sent.

export { type ConditionUpdate, setPressure, setReady } from "./node/Conditions.ts"
export { type MeasuredMachine, machineReservation, measuredCapacity, overReserved } from "./node/MachineResources.ts"
export { addressesFor, ownAddresses, withProvidedIP } from "./node/NodeAddresses.ts"
export { reportedImages, versionInfo } from "./node/NodeInfo.ts"
export { type ComputedNode, computeNode } from "./node/NodeStatusOf.ts"
export { reconcileNode } from "./node/ReconcileNode.ts"
export { noReports, type ReportHistory, reportDelay, reportDue } from "./node/Report.ts"
export { nodeStatusChanged } from "./node/StatusChanged.ts"
export {
  beginStatusPass,
  type StatusPass,
  type StatusPassAction,
  type StatusPassStep,
  statusAttemptFailed,
  statusComputed,
  statusPatched
} from "./node/StatusPass.ts"

// Configuration: what a flag's value means, and which is refused.

export { type NodeIPs, parseNodeIPs } from "./config/nodeIP.ts"
export { type NodeLabelErrors, validateNodeLabels } from "./config/nodeLabels.ts"
export { parseRegisterTaints } from "./config/registerTaints.ts"

// Admission: whether a pod may run here, and which pods make room.

export { type DeclaredBy, declaredFeatures } from "./admission/DeclaredFeatures.ts"
export { admitPod } from "./admission/PodAdmitHandler.ts"
export { choosePreempted, type MissingResource } from "./admission/Preemption.ts"
export { type SysctlAllowList, safeSysctls, sysctlAllowList, sysctlRefusal } from "./admission/Sysctl.ts"
export { pressureRefusal } from "./eviction/PressureAdmission.ts"
export { isCriticalPod } from "./pod/CriticalPod.ts"

// A pod's life: phase, conditions, restarts and grace.

export { containerShouldRestart } from "./pod/ContainerRestart.ts"
export {
  type BackOffRecord,
  type CrashLoopLimits,
  decideRestart,
  type RestartDecision
} from "./pod/CrashLoopBackOff.ts"
export {
  containersReadyCondition,
  initializedCondition,
  type PodConditionDraft,
  podReadyCondition
} from "./pod/PodConditions.ts"
export { decidePod, type PodDecision, type PodView } from "./pod/PodDecision.ts"
export { type Phase, podPhase } from "./pod/PodPhase.ts"
export { effectiveGrace, type Grace, type GraceInputs } from "./pod/TerminationGrace.ts"

// Eviction: thresholds met, and the order in which pods go.

export type { FilesystemLayout } from "./eviction/containerFs.ts"
export { type EvictionSettings, type EvictionState, noPressure } from "./eviction/EvictionState.ts"
export {
  type EvictionPass,
  evictionPass,
  evictionsOf,
  type NodeRelief,
  type PodEviction,
  thresholdMetEvent
} from "./eviction/evictionPass.ts"
export { type LimitExceeded, limitExceeded } from "./eviction/localLimits.ts"
export { oomScoreOf } from "./eviction/oomScore.ts"
export { parseThresholds, type ThresholdError, type ThresholdSettings } from "./eviction/parseThresholds.ts"
export { type RankOptions, rankPods } from "./eviction/rankPods.ts"
export type { Reclaim } from "./eviction/reclaim.ts"
export type { StarvedResource } from "./eviction/Signals.ts"
export { type Observations, type Threshold, type ThresholdValue, thresholdsMet } from "./eviction/Threshold.ts"

// Swap: how much a container may use.

export { type ContainerSwap, type SwapMachine, swapLimitOf } from "./swap/swapLimit.ts"
