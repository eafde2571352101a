import type { Job, JobStatus } from "@rollcall/api"
import { formatIndexes, parseIndexes } from "./indexes.ts"
import { countsByIndex, isIndexed } from "./jobPods.ts"

/** The counted pods of a job, and those about to be counted. */
export interface Accounts {
  readonly succeeded: number
  readonly failed: number
  /** UIDs of terminated pods whose finalizers may not be removed yet. */
  readonly uncounted: { readonly succeeded: ReadonlyArray<string>; readonly failed: ReadonlyArray<string> }
  readonly completed: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
}

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
 * Counts the pods whose finalizers are removed: their UIDs leave the list, and the numbers increase. `isHeld` returns
 * whether the pod with a UID still has its finalizer.
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

/** The status fields of the accounts. */
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
