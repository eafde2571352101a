import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { JobSpec } from "./Job.ts"
import { ObjectMeta, ObjectReference } from "./Meta.ts"
import { Time } from "./Scalars.ts"

export const JobTemplateSpec = Schema.Struct({ metadata: opt(ObjectMeta), spec: JobSpec })
export interface JobTemplateSpec extends Schema.Schema.Type<typeof JobTemplateSpec> {}

export const CronJobSpec = Schema.Struct({
  schedule: Schema.String,
  timeZone: opt(Schema.String),
  startingDeadlineSeconds: opt(Schema.Int),
  concurrencyPolicy: opt(oneOf("Allow", "Forbid", "Replace")),
  suspend: opt(Schema.Boolean),
  jobTemplate: JobTemplateSpec,
  successfulJobsHistoryLimit: opt(Schema.Int),
  failedJobsHistoryLimit: opt(Schema.Int)
})
export interface CronJobSpec extends Schema.Schema.Type<typeof CronJobSpec> {}

export const CronJobStatus = Schema.Struct({
  active: opt(list(ObjectReference)),
  lastScheduleTime: opt(Time),
  lastSuccessfulTime: opt(Time)
})
export interface CronJobStatus extends Schema.Schema.Type<typeof CronJobStatus> {}

/** Starts jobs at the times of a schedule. */
export const CronJob = Schema.Struct({ ...typed("batch/v1", "CronJob"), spec: CronJobSpec, status: opt(CronJobStatus) })
export interface CronJob extends Schema.Schema.Type<typeof CronJob> {}
