const INITIAL_BACK_OFF_MS = 10_000
const MAX_BACK_OFF_MS = 300_000
/** A process that has run for this long has its back-off reset. */
const RESET_AFTER_MS = 2 * MAX_BACK_OFF_MS

/**
 * Returns how long the kubelet waits before it restarts a static pod's process: not at all the first time, then 10 s,
 * 20 s, … up to 5 minutes; 10 minutes without an end reset it. `ends` are the times of all ends so far, including the
 * last.
 */
export const restartDelayMs = (ends: ReadonlyArray<number>): number => {
  let endsInRow = 0
  for (let index = ends.length - 1; index > 0; index--) {
    if ((ends[index] ?? 0) - (ends[index - 1] ?? 0) > RESET_AFTER_MS) break
    endsInRow++
  }
  return endsInRow === 0 ? 0 : Math.min(MAX_BACK_OFF_MS, INITIAL_BACK_OFF_MS * 2 ** (endsInRow - 1))
}
