import type { Pod } from "@rollcall/api"
import { endOf } from "./jobPods.ts"

/** Upstream: DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff. */
const FIRST_MS = 10_000
const MOST_MS = 600_000

/** The number of consecutive failures, and the time of the last: each doubles the backoff. */
export interface Failures {
  readonly count: number
  readonly lastMs: number
}

export const noFailures: Failures = { count: 0, lastMs: Number.NEGATIVE_INFINITY }

/** The remaining backoff after this many failures. Upstream: getRemainingTimeForFailuresCount. */
export const backoffLeftMs = ({ count, lastMs }: Failures, nowMs: number): number =>
  count === 0 ? 0 : Math.max(0, lastMs + Math.min(FIRST_MS * 2 ** (count - 1), MOST_MS) - nowMs)

/**
 * The consecutive failures after these pods have terminated; a success resets them. Failures that a policy ignores
 * count here. Upstream: pkg/controller/job/backoff_utils.go newBackoffRecord.
 */
export const failuresAfter = (
  before: Failures,
  succeeded: ReadonlyArray<Pod>,
  failed: ReadonlyArray<Pod>
): Failures => {
  const lastSuccessMs = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(endOf))
  const ends = failed.map(endOf).filter((at) => at > lastSuccessMs)
  const { count, lastMs } = succeeded.length > 0 ? noFailures : before
  return ends.length === 0 ? { count, lastMs } : { count: count + ends.length, lastMs: Math.max(...ends) }
}
