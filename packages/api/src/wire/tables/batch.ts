import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/batch/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const batch: Table = {
  package: "io.k8s.api.batch.v1",
  group: "batch",
  messages: `
Job kind hasList # Runs pods until a number of them has succeeded.
  metadata 1 meta.ObjectMeta byValue
  spec 2 JobSpec byValue
  status 3 JobStatus byValue
JobSpec
  parallelism 1 int32 pointer
  completions 2 int32 pointer
  activeDeadlineSeconds 3 int64 pointer
  podFailurePolicy 11 PodFailurePolicy
  successPolicy 16 SuccessPolicy
  backoffLimit 7 int32 pointer
  backoffLimitPerIndex 12 int32 pointer
  maxFailedIndexes 13 int32 pointer
  selector 4 meta.LabelSelector
  manualSelector 5 bool pointer
  template 6 core.PodTemplateSpec required byValue
  ttlSecondsAfterFinished 8 int32 pointer
  completionMode 9 string pointer enum=Indexed|NonIndexed
  suspend 10 bool pointer
  podReplacementPolicy 14 string pointer enum=Failed|TerminatingOrFailed
  managedBy 15 string pointer
PodFailurePolicy
  rules 1 []PodFailurePolicyRule required
PodFailurePolicyRule
  action 1 string required enum=Count|FailIndex|FailJob|Ignore
  onExitCodes 2 PodFailurePolicyOnExitCodesRequirement
  onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern
PodFailurePolicyOnExitCodesRequirement
  containerName 1 string pointer
  operator 2 string required enum=In|NotIn
  values 3 []int32 required listType=set
PodFailurePolicyOnPodConditionsPattern
  type 1 string required
  status 2 string default="" noOmitEmpty
SuccessPolicy
  rules 1 []SuccessPolicyRule required
SuccessPolicyRule
  succeededIndexes 1 string pointer
  succeededCount 2 int32 pointer
JobStatus
  conditions 1 []JobCondition patchStrategy=merge patchMergeKey=type
  startTime 2 Time pointer
  completionTime 3 Time pointer
  active 4 int32
  succeeded 5 int32
  failed 6 int32
  terminating 11 int32 pointer
  completedIndexes 7 string
  failedIndexes 10 string pointer
  uncountedTerminatedPods 8 UncountedTerminatedPods
  ready 9 int32 pointer
JobCondition
  type 1 string required
  status 2 string required
  lastProbeTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
UncountedTerminatedPods
  succeeded 1 []string listType=set
  failed 2 []string listType=set
CronJob kind hasList # Creates Jobs on a schedule.
  metadata 1 meta.ObjectMeta byValue
  spec 2 CronJobSpec required byValue
  status 3 CronJobStatus byValue
CronJobSpec
  schedule 1 string required
  timeZone 8 string pointer
  startingDeadlineSeconds 2 int64 pointer
  concurrencyPolicy 3 string enum=Allow|Forbid|Replace
  suspend 4 bool pointer
  jobTemplate 5 JobTemplateSpec required byValue
  successfulJobsHistoryLimit 6 int32 pointer
  failedJobsHistoryLimit 7 int32 pointer
JobTemplateSpec
  metadata 1 meta.ObjectMeta byValue
  spec 2 JobSpec byValue
CronJobStatus
  active 1 []core.ObjectReference
  lastScheduleTime 4 Time pointer
  lastSuccessfulTime 5 Time pointer
`
}
