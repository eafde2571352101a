const FIRST_BACK_OFF_MS = 10_000
const LONGEST_BACK_OFF_MS = 300_000
/** A process that has run for so long is forgiven what was before. */
const FORGOTTEN_AFTER_MS = 2 * LONGEST_BACK_OFF_MS

/**
 * How long a kubelet waits before it runs a static pod's process again that ended: not at all the first time, then 10 s, 20 s,
 * … up to 5 minutes; after 10 minutes without an end it begins anew. `ends` are the times of all ends so far, the last included.
 */
export const restartDelayMs = (ends: ReadonlyArray<number>): number => {
  let run = 0
  for (let index = ends.length - 1; index > 0; index--) {
    if ((ends[index] ?? 0) - (ends[index - 1] ?? 0) > FORGOTTEN_AFTER_MS) break
    run++
  }
  return run === 0 ? 0 : Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (run - 1))
}
