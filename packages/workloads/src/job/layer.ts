import { type Job, keyOf, type Pod } from "@rollcall/api"
import { Cluster, EventRecorder, Informer, runWorkers, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Jobs, jobOfPod } from "./Jobs.ts"

/** `--concurrent-job-syncs` */
const CONCURRENT_SYNCS = 5
/** What happens to the pods of a job is looked at once a second. Upstream: SyncJobBatchPeriod. */
const BATCH_MS = 1000

/** Runs all Jobs as long as the layer stands, through the Cluster at hand. */
export const layerJobs: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const timers = yield* Timers
    const recorder = yield* EventRecorder.make({ component: "job-controller" })
    const queue = yield* WorkQueue.make<string>()
    const enqueue = (job: Job) => queue.add(keyOf(job))
    const jobs = yield* Informer.make("Job", {
      handlers: [{ onAdd: enqueue, onUpdate: (_, job) => enqueue(job), onDelete: enqueue }]
    })
    const pods = yield* Informer.make("Pod", { indexes: { job: jobOfPod } })
    const controller = new Jobs({ cluster, timers, recorder, jobs, pods, queue })
    const soon = (pod: Pod) => {
      const key = jobOfPod(pod)
      if (key !== undefined) queue.addAfter(key, BATCH_MS)
    }
    pods.addHandler({
      onAdd: (pod) => {
        controller.podAdded(pod)
        soon(pod)
      },
      onUpdate: (_, pod) => {
        controller.podChanged(pod)
        soon(pod)
      },
      onDelete: (pod) => {
        controller.podGone(pod)
        soon(pod)
      }
    })
    yield* Effect.all([jobs.synced, pods.synced], { concurrency: "unbounded", discard: true }).pipe(
      Effect.andThen(runWorkers(queue, CONCURRENT_SYNCS, (key) => controller.sync(key))),
      Effect.forkScoped
    )
  })
)
