import type { Job, Pod } from "@rollcall/api"
import type { Accounts } from "./accounts.ts"
import type { Counts } from "./ended.ts"
import { type FailureAction, judgeFailure } from "./failurePolicy.ts"
import { hasFailed, indexOf, isCountable, isIndexed, isTracked } from "./jobPods.ts"

/** Limit on the uncounted pods in a status. */
const MOST_UNCOUNTED = 500

export interface Taken {
  readonly accounts: Accounts
  /** Pods whose finalizers are removed once the status lists them. */
  readonly release: ReadonlyArray<Pod>
  /** The status lists as many as it can: the rest follows in the next sync. */
  readonly isFull: boolean
  /** How often a policy rule matched, by its action. */
  readonly byPolicy: ReadonlyMap<FailureAction, number>
}

/** The state of the job that determines which pods are counted. */
export interface TakingIn {
  /** The job has finished: its pods are released in any phase. */
  readonly ending: boolean
  /** The job has failed: all pods that still run count as failed. */
  readonly failing: boolean
  /** Failed pods that are kept until their replacement is created. */
  readonly held: ReadonlySet<Pod>
}

/**
 * Selects terminated pods to count. Each is listed by UID before its finalizer is removed, so that it is counted once,
 * whatever crashes in between; a succeeded index needs no UID. Upstream: pkg/controller/job/job_controller.go
 * trackJobStatusAndRemoveFinalizers.
 */
export const takeIn = (
  job: Job,
  before: Accounts,
  counts: Counts,
  pods: ReadonlyArray<Pod>,
  { ending, failing, held }: TakingIn
): Taken => {
  const noted = { succeeded: new Set(before.uncounted.succeeded), failed: new Set(before.uncounted.failed) }
  const byPolicy = new Map<FailureAction, number>()
  const release: Array<Pod> = []
  let newIndexes = 0
  let isFull = false
  for (const pod of pods) {
    if (!isTracked(pod)) continue
    const { uid = "" } = pod.metadata
    const isSuccess = pod.status?.phase === "Succeeded"
    const isFailure = hasFailed(job, pod)
    if (!ending && !isSuccess && (!isFailure || held.has(pod))) continue
    release.push(pod)
    if (isSuccess && !noted.failed.has(uid)) {
      if (!isIndexed(job)) noted.succeeded.add(uid)
      else if (isCountable(job, pod) && !before.completed.has(indexOf(job, pod) ?? -1)) newIndexes++
    } else if ((isFailure || failing) && !noted.failed.has(uid) && isCountable(job, pod)) {
      const { action, byRule } = judgeFailure(job, pod)
      if (byRule) byPolicy.set(action, (byPolicy.get(action) ?? 0) + 1)
      if (action !== "Ignore") noted.failed.add(uid)
    }
    if (newIndexes + noted.succeeded.size + noted.failed.size < MOST_UNCOUNTED) continue
    isFull = true
    break
  }
  const { completed, failedIndexes } = counts
  const uncounted = { succeeded: [...noted.succeeded], failed: [...noted.failed] }
  return { accounts: { ...before, uncounted, completed, failedIndexes }, release, isFull, byPolicy }
}
