import { currentGates, getControllerOf, type Pod } from "@rollcall/api"
import { Controller, fromConnection, keyOf } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { consistencyStoreOf, forgetDeleted } from "../consistency/ConsistencyStore.ts"
import { recordingWrites } from "../consistency/recordingWrites.ts"
import { syncUnlessStale } from "../consistency/unlessStale.ts"
import { logLine, unhandledError } from "../unhandledError.ts"
import { BATCH_MS, externalControllerOf, Jobs, jobOfPod } from "./Jobs.ts"
import { isTracked } from "./jobPods.ts"
import { JobMeters, jobSkips } from "./metrics.ts"

/** `--concurrent-job-syncs` */
const CONCURRENT_SYNCS = 5

/** Upstream: DefaultJobApiBackOff, MaxJobApiBackOff. */
const backoff = { baseMs: 1000, maxMs: 60_000, hasOverall: false }

/** Runs all Jobs while the layer lives, through the Cluster in context. */
export const layerJobs = Controller.make({
  name: "job-controller",
  queue: "job",
  records: true,
  for: "Job",
  // Status changes are mostly this controller's own writes.
  delayMs: (job, { before }) => (before?.metadata.generation === job.metadata.generation ? BATCH_MS : 0),
  watches: { Pod: { indexes: { job: jobOfPod, orphans: orphanIn } } },
  workers: CONCURRENT_SYNCS,
  backoff,
  onError: (_: string, { message }: { readonly message: string }) => logLine(unhandledError(`syncing job: ${message}`)),
  reconcile: Effect.fnUntraced(function* ({ addQueue, cache, cluster, queue, recorder, timers }) {
    const jobs = cache("Job")
    const pods = cache("Pod")
    const context = yield* Effect.context<never>()
    const meters = new JobMeters(context)
    const gates = yield* currentGates
    const isGuarded = gates.StaleControllerConsistencyJob
    const forgetsStart = gates.MutableSchedulingDirectivesForSuspendedJobs
    const consistency = consistencyStoreOf(["Job", "Pod"], cache, isGuarded)
    const recorded = fromConnection(recordingWrites(cluster.connection, "Job", consistency))
    const controller = new Jobs({ cluster: recorded, timers, recorder, meters, jobs, pods, queue, forgetsStart })
    jobs.addHandler(forgetDeleted(consistency))
    const releaseOrphan = (key: string) => {
      const pod = pods.get(key)
      return pod === undefined || !isOrphan(pod) ? Effect.void : controller.release(pod)
    }
    /** The queue of pods that a job has left behind with its finalizer. */
    const orphanQueue = yield* addQueue("job_orphan_pod", 1, releaseOrphan)
    const enqueueOrphan = (pod: Pod) => isOrphan(pod) && orphanQueue.add(keyOf(pod))
    jobs.addHandler({
      onAdd: (job) => {
        const external = externalControllerOf(job)
        if (external !== undefined) meters.externalJob(external)
      }
    })
    pods.addHandler({
      onAdd: (pod) => {
        meters.podObserved(undefined, pod)
        controller.podAdded(pod)
        enqueueOrphan(pod)
      },
      onUpdate: (before, pod) => {
        meters.podObserved(before, pod)
        controller.podChanged(before, pod)
        enqueueOrphan(pod)
      },
      onDelete: (pod) => {
        meters.podObserved(pod, undefined)
        controller.podDeleted(pod)
      }
    })
    return syncUnlessStale(consistency, jobSkips(context), (key) => controller.sync(key))
  })
})

/** A pod without a controller but with a job's finalizer, which nothing else would remove. */
const isOrphan = (pod: Pod): boolean => isTracked(pod) && getControllerOf(pod) === undefined
