import type { Job, JobStatus, Pod } from "@rollcall/api"
import { judgeFailure } from "./failurePolicy.ts"
import { formatIndexes, parseIndexes } from "./indexes.ts"
import { hasFailed, indexOf, isIndexed, isTracked } from "./jobPods.ts"

/** Pods that are taken in at once, as their names stand in the status meanwhile. */
const MOST_UNCOUNTED = 500

/** What a job has counted, and what it is about to count. */
export interface Accounts {
  readonly succeeded: number
  readonly failed: number
  /** UIDs of pods that ended and whose finalizers are not known to be off. */
  readonly uncounted: { readonly succeeded: ReadonlyArray<string>; readonly failed: ReadonlyArray<string> }
  readonly completed: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
}

export interface Taken {
  readonly accounts: Accounts
  /** Pods to let go of once the status says that they were seen. */
  readonly release: ReadonlyArray<Pod>
  /** Those that ended since the last look. */
  readonly news: { readonly succeeded: ReadonlyArray<Pod>; readonly failed: ReadonlyArray<Pod> }
}

export const accountsOf = (status: JobStatus | undefined): Accounts => ({
  succeeded: status?.succeeded ?? 0,
  failed: status?.failed ?? 0,
  uncounted: {
    succeeded: status?.uncountedTerminatedPods?.succeeded ?? [],
    failed: status?.uncountedTerminatedPods?.failed ?? []
  },
  completed: parseIndexes(status?.completedIndexes),
  failedIndexes: parseIndexes(status?.failedIndexes)
})

/** All that succeeded, noted for good or not. */
export const succeededIn = ({ completed, succeeded, uncounted }: Accounts, job: Job): number =>
  isIndexed(job) ? completed.size : succeeded + uncounted.succeeded.length

export const failedIn = ({ failed, uncounted }: Accounts): number => failed + uncounted.failed.length

/**
 * Books the pods whose finalizers are off: their UIDs leave the list, and the numbers rise. `isHeld` tells whether the pod of a UID
 * still has its finalizer.
 */
export const settle = (job: Job, accounts: Accounts, isHeld: (uid: string) => boolean): Accounts => {
  const { uncounted } = accounts
  const held = { succeeded: uncounted.succeeded.filter(isHeld), failed: uncounted.failed.filter(isHeld) }
  const succeeded = accounts.succeeded + uncounted.succeeded.length - held.succeeded.length
  return {
    ...accounts,
    uncounted: held,
    failed: accounts.failed + uncounted.failed.length - held.failed.length,
    succeeded: isIndexed(job) ? accounts.completed.size : succeeded
  }
}

/**
 * Takes in pods that have ended. Each is noted by UID before its finalizer goes, so that it is counted once, whatever dies in
 * between. `ending`: the job has failed, and all that still runs has failed with it.
 * Upstream: pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers.
 */
export const takeIn = (job: Job, before: Accounts, pods: ReadonlyArray<Pod>, ending: boolean): Taken => {
  const known = new Set([...before.uncounted.succeeded, ...before.uncounted.failed])
  const completed = new Set(before.completed)
  const failedIndexes = new Set(before.failedIndexes)
  const uncounted = { succeeded: [...before.uncounted.succeeded], failed: [...before.uncounted.failed] }
  const news: { readonly succeeded: Array<Pod>; readonly failed: Array<Pod> } = { succeeded: [], failed: [] }
  const release: Array<Pod> = []
  let room = MOST_UNCOUNTED - known.size
  for (const pod of pods) {
    if (!isTracked(pod)) continue
    const { uid = "" } = pod.metadata
    const isSuccess = pod.status?.phase === "Succeeded"
    if (!isSuccess && !hasFailed(job, pod) && !ending) continue
    if (known.has(uid)) {
      release.push(pod)
      continue
    }
    if (room <= 0) break
    const index = isIndexed(job) ? indexOf(job, pod) : undefined
    if (isSuccess) {
      if (!isIndexed(job)) uncounted.succeeded.push(uid)
      else if (index !== undefined) completed.add(index)
      news.succeeded.push(pod)
    } else {
      const { action } = judgeFailure(job, pod)
      if (action === "FailIndex" && index !== undefined && job.spec.backoffLimitPerIndex !== undefined) {
        failedIndexes.add(index)
      }
      if (action !== "Ignore") {
        uncounted.failed.push(uid)
        news.failed.push(pod)
      }
    }
    room--
    release.push(pod)
  }
  return { accounts: { ...before, uncounted, completed, failedIndexes }, release, news }
}

/** The fields of the status that hold the accounts. */
export const accountFields = (job: Job, accounts: Accounts): Partial<JobStatus> => {
  const { completed, failed, failedIndexes, succeeded, uncounted } = accounts
  return {
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(isIndexed(job) && completed.size > 0 ? { completedIndexes: formatIndexes(completed) } : {}),
    ...(isIndexed(job) && job.spec.backoffLimitPerIndex !== undefined
      ? { failedIndexes: formatIndexes(failedIndexes) }
      : {}),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed })
    }
  }
}
