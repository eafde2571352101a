/** The number of calls in the first batch. Upstream: SlowStartInitialBatchSize. */
const INITIAL_BATCH = 1

/** The result of `slowStart`. */
export interface SlowStartOutcome<E> {
  readonly successes: number
  /** Number of calls that were not made, or that failed. */
  readonly skipped: number
  /** The sizes of the batches. */
  readonly batches: ReadonlyArray<number>
  /** The first error. */
  readonly error: E | undefined
}

/**
 * Makes `count` calls in batches of 1, 2, 4, …, each batch concurrently; stops after a batch with an error: a quota or
 * an admission rule that refuses one pod most likely refuses all. `call` may answer synchronously or later, `done` is
 * called at the end. Upstream: pkg/controller/replicaset/replica_set.go slowStartBatch.
 */
export const slowStart = <E>(
  count: number,
  call: (answered: (error: E | undefined) => void) => void,
  done: (outcome: SlowStartOutcome<E>) => void
): void => {
  const batches: Array<number> = []
  let successes = 0
  let error: E | undefined
  const next = (size: number): void => {
    if (size <= 0 || error !== undefined) {
      done({ successes, skipped: count - successes, batches, error })
      return
    }
    batches.push(size)
    let pending = size
    for (let index = 0; index < size; index++) {
      call((failure) => {
        if (failure === undefined) successes++
        else error ??= failure
        pending--
        if (pending === 0) next(Math.min(2 * size, count - successes))
      })
    }
  }
  next(Math.min(INITIAL_BATCH, count))
}
