import { matchingTolerations, minTolerationSeconds, type Taint, type Toleration } from "@rollcall/api"

export type EvictionVerdict =
  /** Some taint is not tolerated: cancel the scheduled eviction, delete now. */
  | { readonly kind: "evict" }
  /** All are tolerated forever: cancel the scheduled eviction. */
  | { readonly kind: "spare" }
  /** Keep the scheduled eviction, whatever the tolerations are now. */
  | { readonly kind: "keep" }
  /** Cancel the scheduled eviction, and schedule (or, without a delay, carry out) this one. */
  | { readonly kind: "schedule"; readonly createdMs: number; readonly dueMs: number }

const evict: EvictionVerdict = { kind: "evict" }
const spare: EvictionVerdict = { kind: "spare" }
const keep: EvictionVerdict = { kind: "keep" }

const MAX_EXACT_SECONDS = 9_223_372_036

/** Seconds as in upstream's duration: nanoseconds in 64 bits, which overflow after 292 years. */
const durationMs = (seconds: number): number =>
  seconds <= MAX_EXACT_SECONDS
    ? seconds * 1000
    : Number(BigInt.asIntN(64, BigInt(Math.round(seconds)) * 1_000_000_000n)) / 1e6

/**
 * Decides about a pod on a node with these NoExecute taints, of which there is at least one. `plannedAt`: when the
 * pod's scheduled eviction, if any, was scheduled. Once scheduled, neither longer nor shorter tolerations move it.
 * Upstream replaces an eviction scheduled at this very instant, which never happens with its nanosecond clock but
 * would with a clock that stands still. `comparisonOperators`: gate TaintTolerationComparisonOperators.
 * Upstream: pkg/controller/tainteviction/taint_eviction.go processPodOnNode.
 */
export const judgeEviction = (
  taints: ReadonlyArray<Taint>,
  tolerations: ReadonlyArray<Toleration> | undefined,
  plannedAt: number | undefined,
  now: number,
  comparisonOperators = false
): EvictionVerdict => {
  const used = matchingTolerations(taints, tolerations, comparisonOperators)
  if (used === undefined) return evict
  const leastMs = durationMs(minTolerationSeconds(used))
  if (leastMs < 0) return spare
  if ((plannedAt ?? Infinity) <= now) return keep
  return { kind: "schedule", createdMs: plannedAt ?? now, dueMs: now + leastMs }
}
