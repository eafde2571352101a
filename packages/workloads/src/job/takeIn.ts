import type { Job, Pod } from "@rollcall/api"
import type { Accounts } from "./accounts.ts"
import type { Counts } from "./ended.ts"
import { type FailureAction, judgeFailure } from "./failurePolicy.ts"
import { hasFailed, indexOf, isCountable, isIndexed, isTracked } from "./jobPods.ts"

/** Pods that are taken in at once, as their names stand in the status meanwhile. */
const MOST_UNCOUNTED = 500

export interface Taken {
  readonly accounts: Accounts
  /** Pods to let go of once the status says that they were seen. */
  readonly release: ReadonlyArray<Pod>
  /** The status has no room for more: the rest is taken in next time. */
  readonly isFull: boolean
  /** How often a rule of the policy decided, by its action. */
  readonly byPolicy: ReadonlyMap<FailureAction, number>
}

/** How pods are taken in. */
export interface TakingIn {
  /** The job is over: its pods are let go whatever they are at. */
  readonly ending: boolean
  /** It is over because it failed: all that still runs has failed with it. */
  readonly failing: boolean
  /** Failed pods that are held until another is made in their place. */
  readonly held: ReadonlySet<Pod>
}

/**
 * Takes in pods that have ended. Each is noted by UID before its finalizer goes, so that it is counted once, whatever dies in
 * between; a success of an index needs no UID. Upstream: pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers.
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
