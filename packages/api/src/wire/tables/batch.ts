import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/batch/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const batch: Table = {
  package: "io.k8s.api.batch.v1",
  group: "batch",
  text: `
Job kind list # Runs pods until a number of them has succeeded.
  metadata 1 meta.ObjectMeta &
  spec 2 JobSpec &
  status 3 JobStatus &
JobSpec
  parallelism 1 int32 *
  completions 2 int32 *
  activeDeadlineSeconds 3 int64 *
  podFailurePolicy 11 PodFailurePolicy
  successPolicy 16 SuccessPolicy
  backoffLimit 7 int32 *
  backoffLimitPerIndex 12 int32 *
  maxFailedIndexes 13 int32 *
  selector 4 meta.LabelSelector
  manualSelector 5 bool *
  template 6 core.PodTemplateSpec ! &
  ttlSecondsAfterFinished 8 int32 *
  completionMode 9 string * enum(Indexed|NonIndexed)
  suspend 10 bool *
  podReplacementPolicy 14 string * enum(Failed|TerminatingOrFailed)
  managedBy 15 string *
PodFailurePolicy
  rules 1 []PodFailurePolicyRule !
PodFailurePolicyRule
  action 1 string ! enum(Count|FailIndex|FailJob|Ignore)
  onExitCodes 2 PodFailurePolicyOnExitCodesRequirement
  onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnExitCodesRequirement
  containerName 1 string *
  operator 2 string ! enum(In|NotIn)
  values 3 []int32 ! set
PodFailurePolicyOnPodConditionsPattern
  type 1 string !
  status 2 string
SuccessPolicy
  rules 1 []SuccessPolicyRule !
SuccessPolicyRule
  succeededIndexes 1 string *
  succeededCount 2 int32 *
JobStatus
  conditions 1 []JobCondition merge(type)
  startTime 2 Time *
  completionTime 3 Time *
  active 4 int32
  succeeded 5 int32
  failed 6 int32
  terminating 11 int32 *
  completedIndexes 7 string
  failedIndexes 10 string *
  uncountedTerminatedPods 8 UncountedTerminatedPods
  ready 9 int32 *
JobCondition
  type 1 string !
  status 2 string !
  lastProbeTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
UncountedTerminatedPods
  succeeded 1 []string set
  failed 2 []string set
CronJob kind list # Creates Jobs on a schedule.
  metadata 1 meta.ObjectMeta &
  spec 2 CronJobSpec ! &
  status 3 CronJobStatus &
CronJobSpec
  schedule 1 string !
  timeZone 8 string *
  startingDeadlineSeconds 2 int64 *
  concurrencyPolicy 3 string enum(Allow|Forbid|Replace)
  suspend 4 bool *
  jobTemplate 5 JobTemplateSpec ! &
  successfulJobsHistoryLimit 6 int32 *
  failedJobsHistoryLimit 7 int32 *
JobTemplateSpec
  metadata 1 meta.ObjectMeta &
  spec 2 JobSpec &
CronJobStatus
  active 1 []core.ObjectReference
  lastScheduleTime 4 Time *
  lastSuccessfulTime 5 Time *
`
}
