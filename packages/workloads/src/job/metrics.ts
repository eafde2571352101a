import type { Job, JobStatus, Pod } from "@rollcall/api"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { staleSyncSkips } from "../consistency/metrics.ts"
import type { FailureAction } from "./failurePolicy.ts"
import { parseIndexes } from "./indexes.ts"
import { countsByIndex, isIndexed, isTracked } from "./jobPods.ts"
import type { Verdict } from "./verdict.ts"

/** A counter of the job controller. Upstream: pkg/controller/job/metrics/metrics.go. */
const counter = (name: string, description: string) =>
  Metric.counter(`job_controller_${name}`, { description, incremental: true })

const syncSeconds = Metric.histogram("job_controller_job_sync_duration_seconds", {
  description: "[STABLE] The time it took to sync a job",
  boundaries: Array.from({ length: 15 }, (_, index) => 0.004 * 2 ** index)
})
const syncs = counter("job_syncs_total", "[STABLE] The number of job syncs")
const jobsFinished = counter("jobs_finished_total", "[STABLE] The number of finished jobs")
const podsFinished = counter("job_pods_finished_total", "[STABLE] The number of finished Pods that are fully tracked")
const indexesFinished = counter(
  "job_finished_indexes_total",
  "[ALPHA] The number of finished indexes, by status and limit."
)
const podsCreated = counter(
  "job_pods_creation_total",
  "[ALPHA] The number of Pods created by the Job controller, by reason."
)
const externalJobs = counter(
  "jobs_by_external_controller_total",
  "[ALPHA] The number of Jobs managed by an external controller"
)
const policyFailures = counter(
  "pod_failures_handled_by_failure_policy_total",
  "[ALPHA] The number of failed Pods handled by failure policy, by the action of the rule that matched."
)
const trackedPods = counter(
  "terminated_pods_tracking_finalizer_total",
  "[ALPHA] The number of terminated pods (phase=Failed|Succeeded) that have the finalizer batch.kubernetes.io/job-tracking, by event."
)

export const jobSkips = staleSyncSkips("job_controller", "Job")

/** What a sync did, for the label `action`. */
export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted"

const modeOf = (job: Job): string => (isIndexed(job) ? "Indexed" : "NonIndexed")
/** Whether a pod has terminated, but still has its finalizer. */
const hasEnded = (pod: Pod | undefined): boolean =>
  pod !== undefined && (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") && isTracked(pod)

/** The metrics of the job controller. */
export class JobMeters {
  private readonly context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.context = context
  }

  synced(job: Job, ok: boolean, action: SyncAction, seconds: number): void {
    const labels = { completion_mode: modeOf(job), result: ok ? "success" : "error", action }
    this.add(syncs, 1, labels)
    syncSeconds.pipe(Metric.withAttributes(labels)).updateUnsafe(seconds, this.context)
  }

  finished(job: Job, { failed, reason }: Verdict): void {
    const labels = { completion_mode: modeOf(job), result: failed ? "failed" : "succeeded" }
    this.add(jobsFinished, 1, { ...labels, reason: failed ? reason : "" })
  }

  /** Counts by how much a status has increased. */
  counted(job: Job, before: JobStatus | undefined, after: JobStatus): void {
    const mode = { completion_mode: modeOf(job) }
    const indexes = (status: JobStatus | undefined, field: "completedIndexes" | "failedIndexes") =>
      parseIndexes(status?.[field], job.spec.completions).size
    let succeeded = (after.succeeded ?? 0) - (before?.succeeded ?? 0)
    if (isIndexed(job)) {
      const backoffLimit = countsByIndex(job) ? "perIndex" : "global"
      succeeded = indexes(after, "completedIndexes") - indexes(before, "completedIndexes")
      this.add(indexesFinished, succeeded, { status: "succeeded", backoffLimit })
      const failed = indexes(after, "failedIndexes") - indexes(before, "failedIndexes")
      this.add(indexesFinished, failed, { status: "failed", backoffLimit })
    }
    this.add(podsFinished, succeeded, { ...mode, result: "succeeded" })
    this.add(podsFinished, (after.failed ?? 0) - (before?.failed ?? 0), { ...mode, result: "failed" })
  }

  /** Counts the failed pods that rules of podFailurePolicy matched. */
  failurePolicyApplied(byPolicy: ReadonlyMap<FailureAction, number>): void {
    for (const [action, count] of byPolicy) this.add(policyFailures, count, { action })
  }

  /** Counts the pods that were created, or could not be. Upstream: recordJobPodsCreationTotal. */
  created(job: Job, succeeded: number, failed: number): void {
    const hasFailures = (job.status?.failed ?? 0) > 0
    const reason =
      hasFailures && job.spec.podReplacementPolicy === "Failed"
        ? "recreate_failed"
        : hasFailures || (job.status?.terminating ?? 0) > 0
          ? "recreate_terminating_or_failed"
          : "new"
    this.add(podsCreated, succeeded, { reason, status: "succeeded" })
    this.add(podsCreated, failed, { reason, status: "failed" })
  }

  /** Counts a job that another controller manages. */
  externalJob(controller: string): void {
    this.add(externalJobs, 1, { controller_name: controller })
  }

  /** A pod was added, changed or deleted. Upstream: recordFinishedPodWithTrackingFinalizer. */
  podObserved(before: Pod | undefined, pod: Pod | undefined): void {
    const [was, is] = [hasEnded(before), hasEnded(pod)]
    if (was !== is) this.add(trackedPods, 1, { event: is ? "add" : "delete" })
  }

  private add(metric: Metric.Counter<number>, by: number, labels: Readonly<Record<string, string>>): void {
    if (by > 0) metric.pipe(Metric.withAttributes(labels)).updateUnsafe(by, this.context)
  }
}
