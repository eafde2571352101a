/** For this long after its start a kubelet looks every so often whether it has just become ready. */
const FOR_MS = 120_000
const EVERY_MS = 100

/**
 * The fast look that finds a node ready which is so from `readyMs` on, Infinity when that is too late.
 * Upstream: pkg/kubelet/kubelet.go fastStatusUpdateOnce.
 */
export const fastLookAfter = (startedAtMs: number, readyMs: number): number => {
  const looks = Math.floor((readyMs - startedAtMs) / EVERY_MS) + 1
  return looks * EVERY_MS > FOR_MS ? Number.POSITIVE_INFINITY : startedAtMs + looks * EVERY_MS
}
