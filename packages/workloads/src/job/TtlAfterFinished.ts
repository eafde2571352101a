import type { Job } from "@rollcall/api"
import { Controller, isNotFound, splitKey } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { removalOptions, removalTimeOf } from "./ttl.ts"

/** `--concurrent-ttl-after-finished-syncs` */
const CONCURRENT_SYNCS = 5

const deletionSeconds = Metric.histogram("ttl_after_finished_controller_job_deletion_duration_seconds", {
  description: "[ALPHA] The time it took to delete the job since it became eligible for deletion",
  boundaries: Array.from({ length: 14 }, (_, index) => 0.1 * 2 ** index)
})

/**
 * Deletes finished jobs, with their pods, when `ttlSecondsAfterFinished` has passed, while the layer lives.
 * Upstream: pkg/controller/ttlafterfinished.
 */
export const layerTtlAfterFinished = Controller.make({
  name: "ttl-after-finished-controller",
  queue: "ttl_jobs_to_delete",
  for: "Job",
  when: (job, { isDeleted }) => !isDeleted && removalTimeOf(job) !== undefined,
  workers: CONCURRENT_SYNCS,
  reconcile: ({ cache, cluster, queue, timers }) => {
    /** When the deletion became due, in milliseconds; undefined if it is not, then the job is queued for that time. */
    const dueAt = (key: string, job: Job): number | undefined => {
      const at = removalTimeOf(job)
      if (at === undefined || at <= timers.now()) return at
      queue.addAfter(key, at - timers.now())
      return undefined
    }
    return Effect.fnUntraced(function* (key: string) {
      const cached = cache("Job").get(key)
      if (cached === undefined || dueAt(key, cached) === undefined) return
      const { name, namespace } = splitKey(key)
      // The cached job may be stale: its TTL may have been extended.
      const current = yield* cluster
        .get("Job", { namespace, name })
        .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
      const due = current === undefined ? undefined : dueAt(key, current)
      if (current === undefined || due === undefined) return
      yield* cluster.delete("Job", { namespace, name }, removalOptions(current))
      yield* Metric.update(deletionSeconds, (timers.now() - due) / 1000)
    })
  }
})
