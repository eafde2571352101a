import { getPodCondition, type Job, type JobCondition, type Pod, parseTime } from "@rollcall/api"
import type { Counts } from "./ended.ts"
import { applyFailurePolicy } from "./failurePolicy.ts"
import { countsByIndex, hasFailed, isIndexed } from "./jobPods.ts"
import { metSuccessPolicy } from "./successPolicy.ts"

/** How and why a job has finished, or will finish once its pods have terminated: the condition that it gets. */
export interface Verdict {
  readonly failed: boolean
  readonly reason: string
  readonly message: string
}

/** The condition, if its status is True. */
const conditionOf = ({ status }: Job, type: JobCondition["type"]): JobCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === "True")

/** Whether the job has its final condition. */
export const isFinished = (job: Job): boolean =>
  conditionOf(job, "Complete") !== undefined || conditionOf(job, "Failed") !== undefined

const failed = (reason: string, message: string): Verdict => ({ failed: true, reason, message })

/**
 * The container restarts that count as failures: only with restartPolicy OnFailure, with which pods are not replaced.
 * Upstream: pastBackoffLimitOnFailure.
 */
const countedRestarts = (job: Job, pods: ReadonlyArray<Pod>): number => {
  if (job.spec.template.spec.restartPolicy !== "OnFailure") return 0
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      restarts += restartCount ?? 0
    }
  }
  return restarts
}

const pastBackoffLimit = (job: Job, counts: Counts, pods: ReadonlyArray<Pod>): boolean => {
  const { backoffLimit = 6 } = job.spec
  if (counts.failed > backoffLimit) return true
  const restarts = countedRestarts(job, pods)
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

/** When the job exceeds activeDeadlineSeconds, in milliseconds since the Unix epoch; Infinity if it has no deadline. */
export const deadlineOf = ({ spec, status }: Job): number =>
  spec.activeDeadlineSeconds === undefined || status?.startTime === undefined || spec.suspend === true
    ? Number.POSITIVE_INFINITY
    : parseTime(status.startTime) + Number(spec.activeDeadlineSeconds) * 1000

/** Whether a job with a backoff limit per index has failed. */
const indexFailureOf = ({ spec }: Job, { completed, failedIndexes }: Counts): Verdict | undefined => {
  if (failedIndexes.size === 0) return undefined
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    const text = "Job has exceeded the specified maximal number of failed indexes"
    return failed("MaxFailedIndexesExceeded", text)
  }
  return failedIndexes.size + completed.size >= (spec.completions ?? 0)
    ? failed("FailedIndexes", "Job has failed indexes")
    : undefined
}

/** Why the job has failed; undefined if it has not. The reason of an earlier FailureTarget condition stays. */
const failureOf = (job: Job, counts: Counts, pods: ReadonlyArray<Pod>, nowMs: number): Verdict | undefined => {
  const target = conditionOf(job, "FailureTarget")
  if (target !== undefined) return failed(target.reason ?? "", target.message ?? "")
  for (const pod of pods) {
    if (!hasFailed(job, pod)) continue
    const { action, message } = applyFailurePolicy(job, pod)
    if (action === "FailJob") return failed("PodFailurePolicy", message)
  }
  if (pastBackoffLimit(job, counts, pods)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit")
  }
  if (nowMs >= deadlineOf(job)) return failed("DeadlineExceeded", "Job was active longer than specified deadline")
  return countsByIndex(job) ? indexFailureOf(job, counts) : undefined
}

/**
 * Whether the job must end although pods may still run: it has failed, or meets its successPolicy. Undefined if not.
 * Upstream: pkg/controller/job/job_controller.go syncJob.
 */
export const endingOf = (job: Job, counts: Counts, pods: ReadonlyArray<Pod>, nowMs: number): Verdict | undefined => {
  const met = conditionOf(job, "SuccessCriteriaMet")
  if (met !== undefined) return { failed: false, reason: met.reason ?? "", message: met.message ?? "" }
  const failure = failureOf(job, counts, pods, nowMs)
  if (failure !== undefined || !isIndexed(job)) return failure
  const message = metSuccessPolicy(job, counts.completed)
  return message === undefined ? undefined : { failed: false, reason: "SuccessPolicy", message }
}

/**
 * Whether the job is complete: enough pods have succeeded, and none is active. Without completions, the first success
 * is enough. Undefined if it is not.
 */
export const completionOf = (job: Job, counts: Counts, active: number): Verdict | undefined => {
  const { completions } = job.spec
  const isEnough = completions === undefined ? counts.succeeded > 0 : counts.succeeded >= completions
  if (!isEnough || active > 0) return undefined
  return { failed: false, reason: "CompletionsReached", message: "Reached expected number of succeeded pods" }
}

export const isReadyPod = ({ status }: Pod): boolean => getPodCondition(status, "Ready")?.status === "True"
