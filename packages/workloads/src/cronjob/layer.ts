import { type CronJob, getControllerOf, type Job, parseTime } from "@rollcall/api"
import { Controller, keyOf, splitKey } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import { awaitOwnWrites } from "../consistency/awaitOwnWrites.ts"
import { untilNextStart } from "./dueTime.ts"
import { scheduleOf } from "./schedule.ts"
import { type CronJobCalls, syncCronJob } from "./syncCronJob.ts"

/** `--concurrent-cron-job-syncs` */
const CONCURRENT_SYNCS = 5

const creationSkewSeconds = Metric.histogram("cronjob_controller_job_creation_skew_duration_seconds", {
  description: "[STABLE] Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
  boundaries: Array.from({ length: 10 }, (_, index) => 2 ** index)
})

const hasSameSchedule = (before: CronJob, cronJob: CronJob): boolean =>
  before.spec.schedule === cronJob.spec.schedule && before.spec.timeZone === cronJob.spec.timeZone

/** A job by the name of its controller. */
const cronJobOf = (job: Job): string | undefined => {
  const owner = getControllerOf(job)
  return owner === undefined ? undefined : `${job.metadata.namespace}/${owner.name}`
}

/**
 * Starts jobs at the times of the CronJobs' schedules while the layer lives, through the Cluster in context. Upstream:
 * pkg/controller/cronjob/cronjob_controllerv2.go.
 */
export const layerCronJobs = Controller.make({
  name: "cronjob-controller",
  queue: "cronjob",
  records: true,
  for: "CronJob",
  // With another schedule it is queued for its next start, below.
  when: (cronJob, { before }) => before === undefined || hasSameSchedule(before, cronJob),
  owns: { Job: { indexes: { cronJob: cronJobOf } } },
  workers: CONCURRENT_SYNCS,
  reconcile: Effect.fnUntraced(function* ({ cache, queue, recorder, timers, ...parts }) {
    const context = yield* Effect.context<never>()
    const cronJobs = cache("CronJob")
    const { cluster, once } = awaitOwnWrites({ ...parts, cache, queue, kinds: ["CronJob"] })
    const callsFor = (cronJob: CronJob): CronJobCalls => {
      const { name = "", namespace = "" } = cronJob.metadata
      return {
        getCronJob: cluster.get("CronJob", { namespace, name }),
        getJob: (job) => cluster.get("Job", { namespace, name: job }),
        createJob: (job) => cluster.create("Job", job),
        deleteJob: (job) =>
          Effect.asVoid(cluster.delete("Job", { namespace, name: job }, { propagationPolicy: "Background" })),
        created: ({ metadata }, time) => {
          const seconds = (parseTime(metadata.creationTimestamp ?? "") - time) / 1000
          creationSkewSeconds.updateUnsafe(seconds, context)
        },
        event: (type, reason, message) => recorder.event(cronJob, type, reason, message)
      }
    }
    cronJobs.addHandler({
      // The next start may come sooner than the one for which the CronJob is queued.
      onUpdate: (before, cronJob) => {
        if (hasSameSchedule(before, cronJob)) return
        const { schedule } = scheduleOf(cronJob)
        if (Result.isSuccess(schedule))
          queue.addAfter(keyOf(cronJob), untilNextStart(cronJob, schedule.success, timers.now()))
        else {
          const message = `unparseable schedule for cronjob: ${cronJob.spec.schedule}`
          recorder.event(cronJob, "Warning", "UnParseableCronJobSchedule", message)
        }
      }
    })
    return once(
      Effect.fnUntraced(function* (key: string) {
        const { name, namespace } = splitKey(key)
        const cronJob = cronJobs.find(name, namespace)
        if (cronJob === undefined) return
        const jobs = cache("Job").byIndex("cronJob", key)
        const sync = yield* syncCronJob(cronJob, jobs, timers.now(), callsFor(cronJob))
        if (sync.isStatusChanged) yield* cluster.updateStatus("CronJob", sync.cronJob)
        if (sync.requeueAfterMs !== undefined) queue.addAfter(key, sync.requeueAfterMs)
        else if (sync.error !== undefined) return yield* sync.error
      })
    )
  })
})
