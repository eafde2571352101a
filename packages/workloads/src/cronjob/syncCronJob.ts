import {
  type CronJob,
  type CronSchedule,
  formatRfc1123,
  goQuote,
  type Job,
  parseTime,
  zoneFault,
  zoneOf
} from "@rollcall/api"
import { type ClusterError, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isFinished } from "../job/verdict.ts"
import { isNamespaceTerminating } from "../replicaset/PodControl.ts"
import { Draft, type RecordEvent } from "./Draft.ts"
import { dueTime, untilNextStart } from "./dueTime.ts"
import { jobsBeyondHistory } from "./history.ts"
import { jobAt, jobNameAt } from "./newJob.ts"
import { scheduleOf } from "./schedule.ts"

/** What a sync calls: the API, and the recorder of Events about the CronJob. */
export interface CronJobCalls {
  /** Reads the CronJob itself, past the cache. */
  readonly getCronJob: Effect.Effect<CronJob, ClusterError>
  readonly getJob: (name: string) => Effect.Effect<Job, ClusterError>
  readonly createJob: (job: Job) => Effect.Effect<Job, ClusterError>
  /** Deletes the job, and its pods in the background. */
  readonly deleteJob: (name: string) => Effect.Effect<void, ClusterError>
  /** Called with the job that was created for a time. */
  readonly created: (job: Job, time: number) => void
  readonly event: RecordEvent
}

/** What a sync leaves: the status to write, and when the next sync is due. */
export interface CronJobSync {
  /** With its new status. */
  readonly cronJob: CronJob
  readonly isStatusChanged: boolean
  /** Milliseconds until the next sync; undefined if only a change of the CronJob asks for one. */
  readonly requeueAfterMs: number | undefined
  /** Why the sync ended early. The status is written nevertheless. */
  readonly error: ClusterError | ReplaceFailed | undefined
}

/** A job that Replace was to delete is still there. */
export class ReplaceFailed extends Data.TaggedError("ReplaceFailed")<{ readonly message: string }> {}

const deleteJob = Effect.fnUntraced(function* (draft: Draft, { metadata }: Job, calls: CronJobCalls) {
  const { name = "" } = metadata
  const deleted = yield* Effect.result(calls.deleteJob(name))
  if (Result.isFailure(deleted)) {
    calls.event("Warning", "FailedDelete", `Deleted job: ${deleted.failure.message}`)
    return false
  }
  draft.remove(metadata.uid)
  calls.event("Normal", "SuccessfulDelete", `Deleted job ${name}`)
  return true
})

/** Deletes the finished jobs of a CronJob beyond its history limits. Upstream: cleanupFinishedJobs. */
export const deleteOldJobs = Effect.fnUntraced(function* (draft: Draft, jobs: ReadonlyArray<Job>, calls: CronJobCalls) {
  for (const job of jobsBeyondHistory(draft.cronJob, jobs)) yield* deleteJob(draft, job, calls)
})

/** Takes in the jobs that the CronJob controls, and forgets active ones that are gone. */
const takeInJobs = Effect.fnUntraced(function* (draft: Draft, jobs: ReadonlyArray<Job>, calls: CronJobCalls) {
  for (const job of jobs) {
    if (isFinished(job)) draft.ended(job, calls.event)
    else if (!draft.has(job.metadata.uid)) {
      const current = yield* calls.getCronJob
      if (current.status?.active?.some(({ uid }) => uid === job.metadata.uid) === true) draft.cronJob = current
      else {
        const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`
        calls.event("Warning", "UnexpectedJob", message)
      }
    }
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid))
  for (const { name = "", uid } of draft.active) {
    if (known.has(uid)) continue
    const found = yield* Effect.result(calls.getJob(name))
    if (Result.isSuccess(found)) continue
    if (!isNotFound(found.failure)) return yield* found.failure
    calls.event("Normal", "MissingJob", `Active job went missing: ${name}`)
    draft.remove(uid)
  }
})

/** Returns the schedule of a CronJob that may start jobs; undefined if it may not, which an Event explains. */
const usableSchedule = ({ metadata, spec }: CronJob, event: RecordEvent): CronSchedule | undefined => {
  if (metadata.deletionTimestamp !== undefined) return undefined
  const { schedule: text, suspend = false, timeZone } = spec
  if (timeZone !== undefined && zoneOf(timeZone) === undefined) {
    event("Warning", "UnknownTimeZone", `invalid timeZone: ${goQuote(timeZone)}: ${zoneFault(timeZone)}`)
    return undefined
  }
  if (suspend) return undefined
  const { schedule, warning } = scheduleOf({ spec })
  if (warning !== undefined) event("Warning", "UnsupportedSchedule", warning)
  if (Result.isSuccess(schedule)) return schedule.success
  event("Warning", "UnparseableSchedule", `unparseable schedule: ${goQuote(text)} : ${schedule.failure}`)
  return undefined
}

/** Whether a start may happen now; an Event explains why not. */
const mayStart = ({ active, cronJob }: Draft, time: number, now: number, event: RecordEvent): boolean => {
  const { concurrencyPolicy, startingDeadlineSeconds } = cronJob.spec
  if (startingDeadlineSeconds !== undefined && time + startingDeadlineSeconds * 1000 < now) {
    event("Warning", "MissSchedule", `Missed scheduled time to start a job: ${formatRfc1123(time)}`)
    return false
  }
  const last = cronJob.status?.lastScheduleTime
  if (last !== undefined && parseTime(last) === time) return false
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid"
    event("Normal", "JobAlreadyActive", message)
    return false
  }
  return true
}

const replaceActive = Effect.fnUntraced(function* (draft: Draft, calls: CronJobCalls) {
  for (const { name = "", namespace = "" } of draft.active) {
    const job = yield* calls
      .getJob(name)
      .pipe(
        Effect.tapError((error) => Effect.sync(() => calls.event("Warning", "FailedGet", `Get job: ${error.message}`)))
      )
    const isDeleted = yield* deleteJob(draft, job, calls)
    if (!isDeleted) return yield* new ReplaceFailed({ message: `could not replace job ${namespace}/${name}` })
  }
})

/**
 * Creates the job of a start. Returns undefined if a job of that name is another owner's, or known already: then nothing
 * is to be done.
 */
const createJob = Effect.fnUntraced(function* (draft: Draft, time: number, calls: CronJobCalls) {
  const job = jobAt(draft.cronJob, time)
  const created = yield* Effect.result(calls.createJob(job))
  if (Result.isSuccess(created)) {
    calls.created(created.success, time)
    calls.event("Normal", "SuccessfulCreate", `Created job ${created.success.metadata.name}`)
    return created.success
  }
  const error = created.failure
  if (!isAlreadyExists(error)) {
    if (!isNamespaceTerminating(error)) calls.event("Warning", "FailedCreate", `Error creating job: ${error.message}`)
    return yield* error
  }
  const existing = yield* calls.getJob(job.metadata.name ?? "")
  const isOwn = existing.metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === draft.cronJob.metadata.uid
  )
  return isOwn === true && !draft.has(existing.metadata.uid) ? existing : undefined
})

/** Starts the job that is due, if any. Returns the milliseconds until the next sync, or undefined. */
const startDue = Effect.fnUntraced(function* (draft: Draft, schedule: CronSchedule, now: number, calls: CronJobCalls) {
  const { due, error, missed } = dueTime(draft.cronJob, schedule, now)
  if (error !== undefined) {
    calls.event("Warning", "InvalidSchedule", `invalid schedule: ${draft.cronJob.spec.schedule} : ${error}`)
    return undefined
  }
  const untilNext = () => untilNextStart(draft.cronJob, schedule, now)
  if (due === undefined) return untilNext()
  if (missed === "many") {
    const advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew"
    calls.event("Warning", "TooManyMissedTimes", `too many missed start times. ${advice}`)
  }
  const isStarted = draft.hasNamed(draft.cronJob.metadata.namespace, jobNameAt(draft.cronJob, due))
  if (isStarted || !mayStart(draft, due, now, calls.event)) return untilNext()
  if (draft.cronJob.spec.concurrencyPolicy === "Replace") yield* replaceActive(draft, calls)
  const job = yield* createJob(draft, due, calls)
  if (job === undefined) return undefined
  draft.started(job, due)
  return untilNext()
})

/**
 * Syncs a CronJob at a time with the jobs that it controls: deletes finished jobs beyond the history limits, takes in
 * what has ended, and starts the job that is due. Upstream: pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob.
 */
export const syncCronJob = Effect.fnUntraced(function* (
  cronJob: CronJob,
  jobs: ReadonlyArray<Job>,
  now: number,
  calls: CronJobCalls
) {
  const draft = new Draft(cronJob)
  yield* deleteOldJobs(draft, jobs, calls)
  const ended = yield* Effect.result(
    Effect.gen(function* () {
      yield* takeInJobs(draft, jobs, calls)
      const schedule = usableSchedule(draft.cronJob, calls.event)
      return schedule === undefined ? undefined : yield* startDue(draft, schedule, now, calls)
    })
  )
  const sync: CronJobSync = {
    cronJob: draft.cronJob,
    isStatusChanged: draft.isChanged,
    requeueAfterMs: Result.isSuccess(ended) ? ended.success : undefined,
    error: Result.isFailure(ended) ? ended.failure : undefined
  }
  return sync
})
