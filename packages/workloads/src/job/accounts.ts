import type { Job, JobStatus } from "@rollcall/api"
import { formatIndexes, parseIndexes } from "./indexes.ts"
import { countsByIndex, isIndexed } from "./jobPods.ts"

/** The counts in a job's status, and the pods that are about to be counted. */
export interface Accounts {
  readonly succeeded: number
  readonly failed: number
  /** UIDs of terminated pods that are not in the counts yet, since their finalizers may not be removed yet. */
  readonly uncounted: { readonly succeeded: ReadonlyArray<string>; readonly failed: ReadonlyArray<string> }
  /** Completion indexes that have succeeded, of an Indexed job. */
  readonly completed: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
}

/** Reads the counts from a job's status. */
export const accountsOf = ({ spec: { completions }, status }: Job): Accounts => ({
  succeeded: status?.succeeded ?? 0,
  failed: status?.failed ?? 0,
  uncounted: {
    succeeded: status?.uncountedTerminatedPods?.succeeded ?? [],
    failed: status?.uncountedTerminatedPods?.failed ?? []
  },
  completed: parseIndexes(status?.completedIndexes, completions),
  failedIndexes: parseIndexes(status?.failedIndexes, completions)
})

/**
 * Counts the pods whose finalizers are removed: their UIDs leave the list, and the numbers increase. `hasFinalizer`
 * says whether the pod with a UID still has its finalizer.
 */
export const countReleased = (job: Job, accounts: Accounts, hasFinalizer: (uid: string) => boolean): Accounts => {
  const { uncounted } = accounts
  const remaining = {
    succeeded: uncounted.succeeded.filter(hasFinalizer),
    failed: uncounted.failed.filter(hasFinalizer)
  }
  const succeeded = accounts.succeeded + uncounted.succeeded.length - remaining.succeeded.length
  return {
    ...accounts,
    uncounted: remaining,
    failed: accounts.failed + uncounted.failed.length - remaining.failed.length,
    succeeded: isIndexed(job) ? accounts.completed.size : succeeded
  }
}

/** The accounts as fields of a status. */
export const accountFields = (job: Job, accounts: Accounts): Partial<JobStatus> => {
  const { completed, failed, failedIndexes, succeeded, uncounted } = accounts
  return {
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(isIndexed(job) && completed.size > 0 ? { completedIndexes: formatIndexes(completed) } : {}),
    ...(countsByIndex(job) ? { failedIndexes: formatIndexes(failedIndexes) } : {}),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed })
    }
  }
}
