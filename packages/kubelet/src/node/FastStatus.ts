/** For this long after its start a kubelet checks frequently whether it has become ready. */
const FOR_MS = 120_000
const EVERY_MS = 100

/**
 * The time of the fast check that finds a node ready which is ready from `readyMs` on; Infinity if that is too late.
 * Upstream: pkg/kubelet/kubelet.go fastStatusUpdateOnce.
 */
export const fastCheckAfter = (startedAtMs: number, readyMs: number): number => {
  const looks = Math.floor((readyMs - startedAtMs) / EVERY_MS) + 1
  return looks * EVERY_MS > FOR_MS ? Number.POSITIVE_INFINITY : startedAtMs + looks * EVERY_MS
}
