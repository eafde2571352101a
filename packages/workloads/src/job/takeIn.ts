import type { Job, Pod } from "@rollcall/api"
import type { Accounts } from "./accounts.ts"
import type { Counts } from "./ended.ts"
import { applyFailurePolicy, type FailureAction } from "./failurePolicy.ts"
import { hasFailed, indexOf, isCountable, isIndexed, isTracked } from "./jobPods.ts"

/** Limit on the pods that one status lists as uncounted. Upstream: MaxUncountedPods. */
const MAX_UNCOUNTED = 500

/** The pods to count. */
export interface CountSelection {
  readonly accounts: Accounts
  /** Pods whose finalizers are removed once the status lists them. */
  readonly release: ReadonlyArray<Pod>
  /** Whether the status lists as many as it can: the others follow in the next sync. */
  readonly isFull: boolean
  /** How often a rule of podFailurePolicy matched, by its action. */
  readonly byPolicy: ReadonlyMap<FailureAction, number>
}

/** The state of the job that determines which pods are counted. */
export interface CountOptions {
  /** Whether the job has finished or is being deleted: its pods are released in any phase. */
  readonly ending: boolean
  /** Whether the job has failed: pods that still run count as failed. */
  readonly failing: boolean
  /** Failed pods that are not counted before their replacement is created: see `podsAwaitingReplacement`. */
  readonly awaitingReplacement: ReadonlySet<Pod>
}

/**
 * Selects terminated pods to count. The status lists each by UID before its finalizer is removed, so that it is counted
 * exactly once, even after a crash in between. A succeeded index needs no UID, since the set of indexes is the count.
 * Upstream: pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers.
 */
export const selectToCount = (
  job: Job,
  before: Accounts,
  counts: Counts,
  pods: ReadonlyArray<Pod>,
  { awaitingReplacement, ending, failing }: CountOptions
): CountSelection => {
  const uncountedUids = { succeeded: new Set(before.uncounted.succeeded), failed: new Set(before.uncounted.failed) }
  const byPolicy = new Map<FailureAction, number>()
  const release: Array<Pod> = []
  let newIndexes = 0
  let isFull = false
  for (const pod of pods) {
    if (!isTracked(pod)) continue
    const { uid = "" } = pod.metadata
    const isSuccess = pod.status?.phase === "Succeeded"
    const isFailure = hasFailed(job, pod)
    if (!ending && !isSuccess && (!isFailure || awaitingReplacement.has(pod))) continue
    release.push(pod)
    if (isSuccess && !uncountedUids.failed.has(uid)) {
      if (!isIndexed(job)) uncountedUids.succeeded.add(uid)
      else if (isCountable(job, pod) && !before.completed.has(indexOf(job, pod) ?? -1)) newIndexes++
    } else if ((isFailure || failing) && !uncountedUids.failed.has(uid) && isCountable(job, pod)) {
      const { action, byRule } = applyFailurePolicy(job, pod)
      if (byRule) byPolicy.set(action, (byPolicy.get(action) ?? 0) + 1)
      if (action !== "Ignore") uncountedUids.failed.add(uid)
    }
    if (newIndexes + uncountedUids.succeeded.size + uncountedUids.failed.size < MAX_UNCOUNTED) continue
    isFull = true
    break
  }
  const { completed, failedIndexes } = counts
  const uncounted = { succeeded: [...uncountedUids.succeeded], failed: [...uncountedUids.failed] }
  return { accounts: { ...before, uncounted, completed, failedIndexes }, release, isFull, byPolicy }
}
