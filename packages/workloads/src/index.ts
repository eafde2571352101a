export { type DaemonSetParts, DaemonSets } from "./daemonset/DaemonSets.ts"
export { type DaemonEligibility, daemonEligibilities, daemonTolerations } from "./daemonset/daemonPods.ts"
export { layerDaemonSets } from "./daemonset/layer.ts"
export { type Bounds, rolloutBounds } from "./deployment/bounds.ts"
export { type DeploymentConfig, defaultDeploymentConfig, layerDeployments } from "./deployment/layer.ts"
export { labelPodTemplateHash, podTemplateHash } from "./deployment/podTemplateHash.ts"
export { nextScalings, type Scaling } from "./deployment/rollout.ts"
export { deploymentStatus } from "./deployment/status.ts"
export { type BudgetEvent, budgetEvents, noPodsEvent } from "./disruption/budgetEvents.ts"
export { type Budget, type BudgetedPod, type BudgetStatus, budgetStatus } from "./disruption/budgetStatus.ts"
export { type DisruptionParts, Disruptions } from "./disruption/Disruptions.ts"
export { layerDisruptions } from "./disruption/layer.ts"
export { type ScaleSources, Scales } from "./disruption/scales.ts"
export { Expectations } from "./Expectations.ts"
export { layerEndpointSlices, layerEndpoints } from "./endpoints/layer.ts"
export { type EndpointGroup, type SliceChanges, sliceChanges } from "./endpoints/slices.ts"
export {
  GarbageCollector,
  type GarbageCollectorOptions,
  type GarbageCollectorShape
} from "./garbage/GarbageCollector.ts"
export { layerJobs } from "./job/layer.ts"
export { type JobInput, type JobPlan, jobPlan } from "./job/plan.ts"
export { metSuccessPolicy } from "./job/successPolicy.ts"
export { layerTtlAfterFinished } from "./job/TtlAfterFinished.ts"
export { removalOptions, removalTimeOf } from "./job/ttl.ts"
export { layerNamespaceController, type NamespaceControllerOptions } from "./namespace/NamespaceController.ts"
export { onceThereIs } from "./onceThereIs.ts"
export { isPodActive, isPodAvailable, isPodTerminating } from "./podState.ts"
export { deletionCost, podsToDelete } from "./replicaset/deletionOrder.ts"
export { layerReplicaSets } from "./replicaset/layer.ts"
export {
  defaultReplicaSetConfig,
  type ReplicaSetConfig,
  type ReplicaSetParts,
  ReplicaSets
} from "./replicaset/ReplicaSets.ts"
export { type ReplicaPlan, replicaPlan } from "./replicaset/replicaPlan.ts"
export { type ReplicaCounts, replicaSetStatus } from "./replicaset/status.ts"
export { layerServiceAccounts, type ServiceAccountsConfig } from "./serviceaccount/ServiceAccounts.ts"
export { type SlowStartOutcome, slowStart } from "./slowStart.ts"
export { layerStatefulSets } from "./statefulset/layer.ts"
export { type Revisions, type StatefulAction, type StatefulPlan, statefulSetPlan } from "./statefulset/plan.ts"
export { claimsOf, newStatefulPod } from "./statefulset/statefulPods.ts"
