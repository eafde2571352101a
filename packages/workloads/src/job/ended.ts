import type { Job, Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import type { Accounts } from "./accounts.ts"
import { judgeFailure } from "./failurePolicy.ts"
import { failuresBefore, type IndexFailures } from "./indexFailures.ts"
import { countsByIndex, endOf, hasFailed, indexOf, isCountable, isIndexed, isTracked } from "./jobPods.ts"

/** The counts of a job including all terminated pods, whether in its status yet or not. */
export interface Counts {
  readonly succeeded: number
  readonly failed: number
  readonly completed: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
  /** Pods that terminated since the last sync; includes failures that a policy ignores. */
  readonly news: { readonly succeeded: ReadonlyArray<Pod>; readonly failed: ReadonlyArray<Pod> }
}

/** Upstream: pkg/controller/job/job_controller.go getNewFinishedPods, indexed_job_utils.go calculateSucceededIndexes. */
export const countsOf = (job: Job, booked: Accounts, pods: ReadonlyArray<Pod>): Counts => {
  const { uncounted } = booked
  const known = new Set([...uncounted.succeeded, ...uncounted.failed])
  const completed = new Set(booked.completed)
  const news: { readonly succeeded: Array<Pod>; readonly failed: Array<Pod> } = { succeeded: [], failed: [] }
  for (const pod of pods) {
    if (!isTracked(pod) || known.has(pod.metadata.uid ?? "") || !isCountable(job, pod)) continue
    if (pod.status?.phase === "Succeeded") {
      news.succeeded.push(pod)
      const index = isIndexed(job) ? indexOf(job, pod) : undefined
      if (index !== undefined) completed.add(index)
    } else if (hasFailed(job, pod)) news.failed.push(pod)
  }
  const ignored = news.failed.filter((pod) => judgeFailure(job, pod).action === "Ignore").length
  return {
    succeeded: isIndexed(job) ? completed.size : booked.succeeded + uncounted.succeeded.length + news.succeeded.length,
    failed: booked.failed + uncounted.failed.length + news.failed.length - ignored,
    completed,
    failedIndexes: countsByIndex(job) ? failedIndexesOf(job, booked, pods) : booked.failedIndexes,
    news
  }
}

/** Indexes that have failed permanently: by their backoff limit, or by a rule. Upstream: calculateFailedIndexes. */
const failedIndexesOf = (job: Job, booked: Accounts, pods: ReadonlyArray<Pod>): ReadonlySet<number> => {
  const { backoffLimitPerIndex = 0 } = job.spec
  const failed = new Set(booked.failedIndexes)
  for (const pod of pods) {
    const index = indexOf(job, pod)
    if (index === undefined || !isTracked(pod) || !hasFailed(job, pod)) continue
    const { action } = judgeFailure(job, pod)
    if (action === "FailIndex") failed.add(index)
    else if (action !== "Ignore" && failuresBefore(pod).counted >= backoffLimitPerIndex) failed.add(index)
  }
  return failed
}

/**
 * The failed pods, by index, that keep their finalizers until their replacement is created, which gets their failure
 * counts. Upstream: pkg/controller/job/indexed_job_utils.go getPodsWithDelayedDeletionPerIndex.
 */
export const heldForNext = (job: Job, counts: Counts, pods: ReadonlyArray<Pod>): ReadonlyMap<number, Pod> => {
  const held = new Map<number, Pod>()
  if (!countsByIndex(job)) return held
  const active = new Set(pods.filter(isPodActive).map((pod) => indexOf(job, pod)))
  for (const pod of pods) {
    const index = indexOf(job, pod)
    if (index === undefined || !isTracked(pod) || !hasFailed(job, pod)) continue
    if (counts.completed.has(index) || counts.failedIndexes.has(index) || active.has(index)) continue
    const other = held.get(index)
    if (other === undefined || isLater(pod, other)) held.set(index, pod)
  }
  return held
}

const total = ({ counted, ignored }: IndexFailures): number => counted + ignored

const isLater = (pod: Pod, other: Pod): boolean =>
  total(failuresBefore(other)) <= total(failuresBefore(pod)) && endOf(pod) >= endOf(other)

/** The failure counts for the next pod of the index. Upstream: getNewIndexFailureCounts. */
export const failuresWith = (job: Job, replaced: Pod | undefined): IndexFailures => {
  if (replaced === undefined) return { counted: 0, ignored: 0 }
  const { counted, ignored } = failuresBefore(replaced)
  return judgeFailure(job, replaced).action === "Ignore"
    ? { counted, ignored: ignored + 1 }
    : { counted: counted + 1, ignored }
}

/** All failures of the index, including its last pod's, which determine the backoff. */
export const failuresAt = (replaced: Pod | undefined): number =>
  replaced === undefined ? 0 : total(failuresBefore(replaced)) + 1
