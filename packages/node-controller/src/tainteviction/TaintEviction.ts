import { matchingTolerations, minTolerationSeconds, type Taint, type Toleration } from "@rollcall/api"

export type EvictionVerdict =
  /** Some taint is not tolerated: cancel what is planned, delete now. */
  | { readonly kind: "evict" }
  /** All are tolerated for ever: cancel what is planned. */
  | { readonly kind: "spare" }
  /** An earlier plan stands, whatever the tolerations say now. */
  | { readonly kind: "keep" }
  /** Cancel what is planned, and plan (or, when no time lies between, do) this. */
  | { readonly kind: "schedule"; readonly createdMs: number; readonly dueMs: number }

const evict: EvictionVerdict = { kind: "evict" }
const spare: EvictionVerdict = { kind: "spare" }
const keep: EvictionVerdict = { kind: "keep" }

const MAX_EXACT_SECONDS = 9_223_372_036

/** Seconds as upstream's duration has them: nanoseconds in 64 bits, which wrap around after 292 years. */
const durationMs = (seconds: number): number =>
  seconds <= MAX_EXACT_SECONDS
    ? seconds * 1000
    : Number(BigInt.asIntN(64, BigInt(Math.round(seconds)) * 1_000_000_000n)) / 1e6

/**
 * What becomes of a pod on a node with these NoExecute taints, of which there is at least one. `plannedAt` is when the
 * eviction that is planned for it, if any, was planned. Once a plan stands, neither longer nor shorter tolerations move it. Upstream
 * makes a plan of this very instant anew, which its clock of nanoseconds never shows and one that stands still would.
 * `comparisonOperators` is gate TaintTolerationComparisonOperators.
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
