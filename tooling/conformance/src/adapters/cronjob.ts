import {
  alreadyExists,
  type CronJob,
  formatTime,
  internalError,
  type Job,
  NEVER,
  nextTime,
  notFound,
  parseTime,
  type Status
} from "@rollcall/api"
import { decodeJson, wireTypeOf } from "@rollcall/api/wire"
import { ApiError } from "@rollcall/cluster"
import {
  type CronJobCalls,
  CronJobDraft,
  deleteOldJobs,
  dueTime,
  scheduleOf,
  syncCronJob,
  untilNextStart
} from "@rollcall/workloads/rules"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"

type Given = { readonly given: Json }

const timeOrNull = (time: number | undefined): string | null => (time === undefined ? null : formatTime(time))

const next = ({ given }: Given): Json => {
  const { schedule, warning } = scheduleOf({
    spec: { schedule: given.schedule, timeZone: given.timeZone } as CronJob["spec"]
  })
  const warned = warning === undefined ? {} : { warning }
  if (Result.isFailure(schedule)) return { error: schedule.failure, ...warned }
  const times: Array<string> = []
  let time = parseTime(given.after)
  while (times.length < given.count && time !== NEVER) {
    time = nextTime(schedule.success, time)
    times.push(time === NEVER ? "never" : formatTime(time))
  }
  return { times, ...warned }
}

const TOO_MANY =
  "Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"

const schedule = ({ given }: Given): Json => {
  const now = parseTime(given.now)
  const parsed = Result.getOrThrow(scheduleOf(given.cronJob).schedule)
  const { due, earliest, error, missed } = dueTime(given.cronJob, parsed, now)
  return {
    due: timeOrNull(due),
    earliest: formatTime(earliest),
    missed,
    requeueAfter: untilNextStart(given.cronJob, parsed, now) / 1000,
    ...(error === undefined ? {} : { error }),
    ...(missed === "many" && due !== undefined ? { event: TOO_MANY } : {})
  }
}

const refused = (status: Status) => Effect.fail(new ApiError({ status }))

const jobs = { group: "batch", resource: "jobs" }

const jobOf = (job: Json): Job => ({
  ...job,
  metadata: { namespace: "ns", ...job.metadata },
  spec: job.spec ?? { template: { spec: { containers: [] } } }
})

/** The calls of a sync, over the jobs of a case; they record what was done. */
const callsOver = (given: Json, controlled: ReadonlyArray<Job>) => {
  const done = { created: [] as Array<Job>, deleted: [] as Array<string>, events: [] as Array<string> }
  const existing = new Map(
    [...controlled, ...(given.otherJobs ?? []).map(jobOf)].map((job) => [job.metadata.name, job])
  )
  const calls: CronJobCalls = {
    getCronJob: Effect.succeed(given.cronJob),
    getJob: (name) => {
      const job = existing.get(name)
      return job === undefined ? refused(notFound(jobs, name)) : Effect.succeed(job)
    },
    createJob: (job) => {
      if (given.createError !== undefined) return refused({ ...internalError(""), message: given.createError })
      const { name = "" } = job.metadata
      if (existing.has(name)) return refused(alreadyExists(jobs, name))
      done.created.push(job)
      return Effect.succeed({ ...job, metadata: { ...job.metadata, uid: "new" } })
    },
    deleteJob: (name) => Effect.sync(() => void done.deleted.push(name)),
    created: () => {},
    event: (type, reason, message) => void done.events.push(`${type} ${reason} ${message}`)
  }
  return { calls, done }
}

const createdOf = (job: Job): Json => {
  const { annotations, labels, name, ownerReferences = [] } = job.metadata
  const { blockOwnerDeletion, controller, ...owner } = ownerReferences[0] as Json
  // As Go writes it: with the fields that it never leaves out.
  const { spec } = Result.getOrThrow(decodeJson(wireTypeOf("Job"), JSON.stringify(job))).value as Job
  return { name, ...(labels === undefined ? {} : { labels }), annotations, owner, spec }
}

const sync = ({ given }: Given): Json => {
  const jobs: ReadonlyArray<Job> = given.jobs.map(jobOf)
  const { calls, done } = callsOver(given, jobs)
  const result = Effect.runSync(syncCronJob(given.cronJob, jobs, parseTime(given.now), calls))
  const [created] = done.created
  const { active = [], lastScheduleTime = null, lastSuccessfulTime = null } = result.cronJob.status ?? {}
  return {
    ...(created === undefined ? {} : { created: createdOf(created) }),
    deleted: done.deleted,
    active: active.map(({ name, uid }: Json) => [name, uid]),
    lastScheduleTime,
    lastSuccessfulTime,
    updateStatus: result.isStatusChanged,
    requeueAfter: result.requeueAfterMs === undefined ? null : result.requeueAfterMs / 1000,
    events: done.events,
    ...(result.error === undefined ? {} : { error: result.error.message })
  }
}

const history = ({ given }: Given): Json => {
  const jobs: ReadonlyArray<Job> = given.jobs.map(jobOf)
  const { calls, done } = callsOver(given, jobs)
  const draft = new CronJobDraft(given.cronJob)
  Effect.runSync(deleteOldJobs(draft, jobs, calls))
  return { deleted: done.deleted.sort(), active: draft.active.map(({ name }) => name), updateStatus: draft.isChanged }
}

export const cronJobAdapters: Adapters = {
  "cronjob/history": history,
  "cronjob/next": next,
  "cronjob/schedule": schedule,
  "cronjob/sync": sync
}
