import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"
import { PodTemplateSpec } from "./Pod.ts"
import { ConditionStatus, Time } from "./Scalars.ts"

export const JobSpec = Schema.Struct({
  parallelism: opt(Schema.Int),
  completions: opt(Schema.Int),
  activeDeadlineSeconds: opt(Schema.Int),
  podFailurePolicy: opt(Opaque),
  successPolicy: opt(Opaque),
  backoffLimit: opt(Schema.Int),
  backoffLimitPerIndex: opt(Schema.Int),
  maxFailedIndexes: opt(Schema.Int),
  selector: opt(LabelSelector),
  manualSelector: opt(Schema.Boolean),
  template: PodTemplateSpec,
  ttlSecondsAfterFinished: opt(Schema.Int),
  completionMode: opt(oneOf("NonIndexed", "Indexed")),
  suspend: opt(Schema.Boolean),
  podReplacementPolicy: opt(oneOf("TerminatingOrFailed", "Failed")),
  managedBy: opt(Schema.String)
})
export interface JobSpec extends Schema.Schema.Type<typeof JobSpec> {}

/** A condition of a job. */
export const JobCondition = Schema.Struct({
  type: oneOf("Suspended", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"),
  status: ConditionStatus,
  lastProbeTime: opt(Schema.NullOr(Time)),
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface JobCondition extends Schema.Schema.Type<typeof JobCondition> {}

export const JobStatus = Schema.Struct({
  conditions: opt(list(JobCondition)),
  startTime: opt(Time),
  completionTime: opt(Time),
  active: opt(Schema.Int),
  succeeded: opt(Schema.Int),
  failed: opt(Schema.Int),
  terminating: opt(Schema.Int),
  completedIndexes: opt(Schema.String),
  failedIndexes: opt(Schema.String),
  uncountedTerminatedPods: opt(
    Schema.Struct({ succeeded: opt(list(Schema.String)), failed: opt(list(Schema.String)) })
  ),
  ready: opt(Schema.Int)
})
export interface JobStatus extends Schema.Schema.Type<typeof JobStatus> {}

/** Runs pods until enough have succeeded. */
export const Job = Schema.Struct({ ...typed("batch/v1", "Job"), spec: JobSpec, status: opt(JobStatus) })
export interface Job extends Schema.Schema.Type<typeof Job> {}
