/** How long after its start a kubelet checks frequently whether its node has become ready. */
const FAST_CHECKS_MS = 120_000
/** The period of these checks. */
const FAST_PERIOD_MS = 100

/**
 * Returns the time of the first fast check after `readyMs`, from when on the node is ready, or Infinity if no such
 * check runs any more. Upstream: pkg/kubelet/kubelet.go fastStatusUpdateOnce.
 */
export const fastCheckAfter = (startedAtMs: number, readyMs: number): number => {
  const checks = Math.floor((readyMs - startedAtMs) / FAST_PERIOD_MS) + 1
  return checks * FAST_PERIOD_MS > FAST_CHECKS_MS ? Number.POSITIVE_INFINITY : startedAtMs + checks * FAST_PERIOD_MS
}
