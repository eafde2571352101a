import { getPodCondition, type Job, type JobCondition, type Pod, parseTime } from "@rollcall/api"
import type { Counts } from "./ended.ts"
import { judgeFailure } from "./failurePolicy.ts"
import { countsByIndex, hasFailed, isIndexed } from "./jobPods.ts"
import { metSuccessPolicy } from "./successPolicy.ts"

/** Why a job has finished, or will once its pods have terminated. */
export interface Verdict {
  readonly failed: boolean
  readonly reason: string
  readonly message: string
}

const conditionOf = ({ status }: Job, type: JobCondition["type"]): JobCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === "True")

export const isFinished = (job: Job): boolean =>
  conditionOf(job, "Complete") !== undefined || conditionOf(job, "Failed") !== undefined

const failed = (reason: string, message: string): Verdict => ({ failed: true, reason, message })

/**
 * Container restarts count with restartPolicy OnFailure, where pods are not replaced.
 * Upstream: pastBackoffLimitOnFailure.
 */
const restartsIn = (job: Job, pods: ReadonlyArray<Pod>): number => {
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
  const restarts = restartsIn(job, pods)
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

/** When the job exceeds activeDeadlineSeconds; Infinity without a deadline. */
export const deadlineOf = ({ spec, status }: Job): number =>
  spec.activeDeadlineSeconds === undefined || status?.startTime === undefined || spec.suspend === true
    ? Number.POSITIVE_INFINITY
    : parseTime(status.startTime) + spec.activeDeadlineSeconds * 1000

const byIndexes = ({ spec }: Job, { completed, failedIndexes }: Counts): Verdict | undefined => {
  if (failedIndexes.size === 0) return undefined
  if (spec.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes) {
    const text = "Job has exceeded the specified maximal number of failed indexes"
    return failed("MaxFailedIndexesExceeded", text)
  }
  return failedIndexes.size + completed.size >= (spec.completions ?? 0)
    ? failed("FailedIndexes", "Job has failed indexes")
    : undefined
}

/** Whether and why the job has failed. An earlier failure condition is kept. */
const failureOf = (job: Job, counts: Counts, pods: ReadonlyArray<Pod>, nowMs: number): Verdict | undefined => {
  const target = conditionOf(job, "FailureTarget")
  if (target !== undefined) return failed(target.reason ?? "", target.message ?? "")
  for (const pod of pods) {
    if (!hasFailed(job, pod)) continue
    const { action, message } = judgeFailure(job, pod)
    if (action === "FailJob") return failed("PodFailurePolicy", message)
  }
  if (pastBackoffLimit(job, counts, pods)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit")
  }
  if (nowMs >= deadlineOf(job)) return failed("DeadlineExceeded", "Job was active longer than specified deadline")
  return countsByIndex(job) ? byIndexes(job, counts) : undefined
}

/**
 * Whether the job has finished while its pods may still run: it has failed, or meets its successPolicy.
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

/** Enough pods have succeeded and none is active; a job without completions is complete with its first success. */
export const completionOf = (job: Job, counts: Counts, active: number): Verdict | undefined => {
  const { completions } = job.spec
  const enough = completions === undefined ? counts.succeeded > 0 : counts.succeeded >= completions
  if (!enough || active > 0) return undefined
  return { failed: false, reason: "CompletionsReached", message: "Reached expected number of succeeded pods" }
}

export const isReadyPod = ({ status }: Pod): boolean => getPodCondition(status, "Ready")?.status === "True"
