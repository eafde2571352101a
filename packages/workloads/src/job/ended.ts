import type { Job, Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import type { Accounts } from "./accounts.ts"
import { applyFailurePolicy } from "./failurePolicy.ts"
import { failuresBefore, type IndexFailures } from "./indexFailures.ts"
import { countsByIndex, endOf, hasFailed, indexOf, isCountable, isIndexed, isTracked } from "./jobPods.ts"

/** The counts of a job, including the pods that have terminated since its status was written. */
export interface Counts {
  readonly succeeded: number
  readonly failed: number
  readonly completed: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
  /** Pods that terminated since the last sync, including failures that a policy ignores. */
  readonly newlyTerminated: { readonly succeeded: ReadonlyArray<Pod>; readonly failed: ReadonlyArray<Pod> }
}

/**
 * Adds the newly terminated pods to the counts of the status. Upstream: pkg/controller/job/job_controller.go
 * getNewFinishedPods, indexed_job_utils.go calculateSucceededIndexes.
 */
export const countsOf = (job: Job, accounts: Accounts, pods: ReadonlyArray<Pod>): Counts => {
  const { uncounted } = accounts
  const known = new Set([...uncounted.succeeded, ...uncounted.failed])
  const completed = new Set(accounts.completed)
  const newlyTerminated: { readonly succeeded: Array<Pod>; readonly failed: Array<Pod> } = { succeeded: [], failed: [] }
  for (const pod of pods) {
    if (!isTracked(pod) || known.has(pod.metadata.uid ?? "") || !isCountable(job, pod)) continue
    if (pod.status?.phase === "Succeeded") {
      newlyTerminated.succeeded.push(pod)
      const index = isIndexed(job) ? indexOf(job, pod) : undefined
      if (index !== undefined) completed.add(index)
    } else if (hasFailed(job, pod)) newlyTerminated.failed.push(pod)
  }
  const ignored = newlyTerminated.failed.filter((pod) => applyFailurePolicy(job, pod).action === "Ignore").length
  return {
    succeeded: isIndexed(job)
      ? completed.size
      : accounts.succeeded + uncounted.succeeded.length + newlyTerminated.succeeded.length,
    failed: accounts.failed + uncounted.failed.length + newlyTerminated.failed.length - ignored,
    completed,
    failedIndexes: countsByIndex(job) ? failedIndexesOf(job, accounts, pods) : accounts.failedIndexes,
    newlyTerminated
  }
}

/** Indexes that have failed permanently: by their backoff limit, or by a rule. Upstream: calculateFailedIndexes. */
const failedIndexesOf = (job: Job, accounts: Accounts, pods: ReadonlyArray<Pod>): ReadonlySet<number> => {
  const { backoffLimitPerIndex = 0 } = job.spec
  const failed = new Set(accounts.failedIndexes)
  for (const pod of pods) {
    const index = indexOf(job, pod)
    if (index === undefined || !isTracked(pod) || !hasFailed(job, pod)) continue
    const { action } = applyFailurePolicy(job, pod)
    if (action === "FailIndex") failed.add(index)
    else if (action !== "Ignore" && failuresBefore(pod).counted >= backoffLimitPerIndex) failed.add(index)
  }
  return failed
}

/**
 * The failed pods, by index, that keep their finalizers until their replacement is created, which gets their failure
 * counts. Upstream: pkg/controller/job/indexed_job_utils.go getPodsWithDelayedDeletionPerIndex.
 */
export const podsAwaitingReplacement = (
  job: Job,
  counts: Counts,
  pods: ReadonlyArray<Pod>
): ReadonlyMap<number, Pod> => {
  const lastFailed = new Map<number, Pod>()
  if (!countsByIndex(job)) return lastFailed
  const active = new Set(pods.filter(isPodActive).map((pod) => indexOf(job, pod)))
  for (const pod of pods) {
    const index = indexOf(job, pod)
    if (index === undefined || !isTracked(pod) || !hasFailed(job, pod)) continue
    if (counts.completed.has(index) || counts.failedIndexes.has(index) || active.has(index)) continue
    const other = lastFailed.get(index)
    if (other === undefined || isLater(pod, other)) lastFailed.set(index, pod)
  }
  return lastFailed
}

const total = ({ counted, ignored }: IndexFailures): number => counted + ignored

const isLater = (pod: Pod, other: Pod): boolean =>
  total(failuresBefore(other)) <= total(failuresBefore(pod)) && endOf(pod) >= endOf(other)

/** The failure counts that the replacement of a failed pod gets. Upstream: getNewIndexFailureCounts. */
export const failuresIncluding = (job: Job, replaced: Pod | undefined): IndexFailures => {
  if (replaced === undefined) return { counted: 0, ignored: 0 }
  const { counted, ignored } = failuresBefore(replaced)
  return applyFailurePolicy(job, replaced).action === "Ignore"
    ? { counted, ignored: ignored + 1 }
    : { counted: counted + 1, ignored }
}

/** The number of failures of an index, including that of its last pod: it determines the backoff. */
export const failureCountIncluding = (replaced: Pod | undefined): number =>
  replaced === undefined ? 0 : total(failuresBefore(replaced)) + 1
