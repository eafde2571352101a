import { getControllerOf, type Job, keyOf, type Pod } from "@rollcall/api"
import { Cluster, EventRecorder, forkController, Informer, runWorkers, splitKey, WorkQueue } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { orphanIn } from "../claims.ts"
import { BATCH_MS, externalControllerOf, Jobs, jobOfPod } from "./Jobs.ts"
import { isTracked } from "./jobPods.ts"
import { JobMeters } from "./metrics.ts"

/** `--concurrent-job-syncs` */
const CONCURRENT_SYNCS = 5

/** Runs all Jobs as long as the layer stands, through the Cluster at hand. */
export const layerJobs: Layer.Layer<never, never, Cluster | Timers> = Layer.effectDiscard(
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const timers = yield* Timers
    const meters = new JobMeters(yield* Effect.context<never>())
    const recorder = yield* EventRecorder.make({ component: "job-controller" })
    const queue = yield* WorkQueue.named<string>("job")
    /** Pods that a job has left behind with its finalizer. */
    const orphans = yield* WorkQueue.named<string>("job_orphan_pod")
    const enqueue = (job: Job) => queue.add(keyOf(job))
    const added = (job: Job) => {
      const external = externalControllerOf(job)
      if (external !== undefined) meters.external(external)
      enqueue(job)
    }
    const jobs = yield* Informer.make("Job", {
      handlers: [
        {
          onAdd: added,
          // What changes in the status is mostly this controller's own writing.
          onUpdate: (before, job) =>
            before.metadata.generation === job.metadata.generation
              ? queue.addAfter(keyOf(job), BATCH_MS)
              : enqueue(job),
          onDelete: enqueue
        }
      ]
    })
    const pods = yield* Informer.make("Pod", { indexes: { job: jobOfPod, orphans: orphanIn } })
    const controller = new Jobs({ cluster, timers, recorder, meters, jobs, pods, queue })
    const leaveNone = (pod: Pod) => isOrphan(pod) && orphans.add(keyOf(pod))
    pods.addHandler({
      onAdd: (pod) => {
        meters.seen(undefined, pod)
        controller.podAdded(pod)
        leaveNone(pod)
      },
      onUpdate: (before, pod) => {
        meters.seen(before, pod)
        controller.podChanged(before, pod)
        leaveNone(pod)
      },
      onDelete: (pod) => {
        meters.seen(pod, undefined)
        controller.podGone(pod)
      }
    })
    const freeOrphan = (key: string) => {
      const { name, namespace } = splitKey(key)
      const pod = pods.find(name, namespace)
      return pod === undefined || !isOrphan(pod) ? Effect.void : controller.release(pod)
    }
    yield* Effect.all([jobs.synced, pods.synced], { concurrency: "unbounded", discard: true }).pipe(
      Effect.andThen(
        Effect.all(
          [runWorkers(queue, CONCURRENT_SYNCS, (key) => controller.sync(key)), runWorkers(orphans, 1, freeOrphan)],
          {
            concurrency: "unbounded",
            discard: true
          }
        )
      ),
      forkController("job-controller")
    )
  })
)

/** Nobody controls it, and yet it has the finalizer of a job: nobody else would take it off. */
const isOrphan = (pod: Pod): boolean => isTracked(pod) && getControllerOf(pod) === undefined
