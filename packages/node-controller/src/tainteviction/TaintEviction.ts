import { matchingTolerations, minTolerationSeconds, type Taint, type Toleration } from "@rollcall/api"

export type EvictionVerdict =
  /** Some taint is not tolerated: cancel the scheduled eviction, delete now. */
  | { readonly kind: "evict" }
  /** All taints are tolerated forever: cancel the scheduled eviction. */
  | { readonly kind: "tolerate" }
  /** Keep the scheduled eviction, whatever the tolerations are now. */
  | { readonly kind: "keep" }
  /** Cancel the scheduled eviction, and schedule (or, without a delay, carry out) this one. */
  | { readonly kind: "schedule"; readonly createdMs: number; readonly dueMs: number }

const evict: EvictionVerdict = { kind: "evict" }
const tolerate: EvictionVerdict = { kind: "tolerate" }
const keep: EvictionVerdict = { kind: "keep" }

/** The most whole seconds that Go's time.Duration can hold: nanoseconds in 64 bits, which is 292 years. */
const MAX_DURATION_SECONDS = 9_223_372_036

/** Converts seconds to milliseconds; more seconds than a Go duration holds overflow, as upstream's do. */
export const durationMs = (seconds: number): number =>
  seconds <= MAX_DURATION_SECONDS ? seconds * 1000 : Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)) / 1e6

/**
 * Decides about a pod on a node with these NoExecute taints, of which there is at least one. `scheduledAtMs` is when
 * the pod's scheduled eviction, if any, was scheduled. Once scheduled, neither longer nor shorter tolerations move it.
 * Upstream replaces an eviction scheduled at this very instant, which never happens with its nanosecond clock but would
 * with a clock that stands still. `comparisonOperators` is the gate TaintTolerationComparisonOperators.
 * Upstream: pkg/controller/tainteviction/taint_eviction.go processPodOnNode.
 */
export const judgeEviction = (
  taints: ReadonlyArray<Taint>,
  tolerations: ReadonlyArray<Toleration> | undefined,
  scheduledAtMs: number | undefined,
  now: number,
  comparisonOperators = false
): EvictionVerdict => {
  const matching = matchingTolerations(taints, tolerations, comparisonOperators)
  if (matching === undefined) return evict
  const toleratedMs = durationMs(minTolerationSeconds(matching))
  if (toleratedMs < 0) return tolerate
  if ((scheduledAtMs ?? Infinity) <= now) return keep
  return { kind: "schedule", createdMs: scheduledAtMs ?? now, dueMs: now + toleratedMs }
}
