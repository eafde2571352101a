// Deployments: bounds of a rollout, and its next steps.

export { type Bounds, rolloutBounds } from "./deployment/bounds.ts"
export { podTemplateHash } from "./deployment/podTemplateHash.ts"
export { nextScalings, type Scaling } from "./deployment/rollout.ts"
export { deploymentStatus } from "./deployment/status.ts"

// ReplicaSets: how many pods to create or delete, and which go first.

export { isPodActive } from "./podState.ts"
export { defaultReplicaSetConfig } from "./replicaset/config.ts"
export { podsToDelete } from "./replicaset/deletionOrder.ts"
export { type ReplicaPlan, replicaPlan } from "./replicaset/replicaPlan.ts"
export { type ReplicaCounts, replicaSetStatus } from "./replicaset/status.ts"
export { type SlowStartOutcome, slowStart } from "./slowStart.ts"

// StatefulSets: the next pods to create, update or delete.

export {
  type ClaimView,
  type Revisions,
  type StatefulAction,
  type StatefulOptions,
  type StatefulPlan,
  statefulSetPlan,
  type UpdateBudget
} from "./statefulset/plan.ts"

// DaemonSets: which nodes get a pod.

export { type DaemonEligibility, daemonEligibilities, daemonTolerations } from "./daemonset/daemonPods.ts"

// Jobs: what to do next, and when one is over.

export { metSuccessPolicy } from "./job/successPolicy.ts"
export { removalTimeOf } from "./job/ttl.ts"

// CronJobs: which start is due, and what a sync does about it.

export { Draft as CronJobDraft } from "./cronjob/Draft.ts"
export { type DueTime, dueTime, type Missed, untilNextStart } from "./cronjob/dueTime.ts"
export { type ScheduleOfCronJob, scheduleOf } from "./cronjob/schedule.ts"
export {
  type CronJobCalls,
  type CronJobSync,
  deleteOldJobs,
  type ReplaceFailed,
  syncCronJob
} from "./cronjob/syncCronJob.ts"

// HorizontalPodAutoscalers: what a metric proposes, and what a reconcile does about it.

export { History as AutoscalerHistory } from "./autoscaling/History.ts"
export { faultCondition, type MetricFault, type MetricProposal, metricProposal } from "./autoscaling/metricProposal.ts"
export {
  type AutoscalerConfig,
  defaultAutoscalerConfig,
  type MetricAnswer,
  type PodMetric,
  type PodMetrics
} from "./autoscaling/metrics.ts"
export { behaviorRules, normalized } from "./autoscaling/normalized.ts"
export type { Tolerances, Workload } from "./autoscaling/podMetrics.ts"
export {
  type AutoscalerCalls,
  type Reconciled,
  reconcileAutoscaler,
  type TargetScale
} from "./autoscaling/reconcile.ts"

// Disruption budgets: what a budget allows now.

export { type BudgetEvent, budgetEvents, noPodsEvent } from "./disruption/budgetEvents.ts"
export { type Budget, type BudgetStatus, budgetStatus } from "./disruption/budgetStatus.ts"

// EndpointSlices: which to create, update or delete.

export type { AddressType, EndpointPorts } from "./endpoints/serviceEndpoints.ts"
export { type EndpointGroup, type SliceChanges, sliceChanges } from "./endpoints/slices.ts"
