import type { Pod } from "@rollcall/api"
import { endOf } from "./jobPods.ts"

/** Upstream: DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff. */
const INITIAL_BACKOFF_MS = 10_000
const MAX_BACKOFF_MS = 600_000

/** The number of consecutive failures, each of which doubles the backoff, and when the last one was (epoch ms). */
export interface Failures {
  readonly count: number
  readonly lastMs: number
}

export const noFailures: Failures = { count: 0, lastMs: Number.NEGATIVE_INFINITY }

/** What remains of the backoff after these failures. Upstream: getRemainingTimeForFailuresCount. */
export const backoffLeftMs = ({ count, lastMs }: Failures, nowMs: number): number =>
  count === 0 ? 0 : Math.max(0, lastMs + Math.min(INITIAL_BACKOFF_MS * 2 ** (count - 1), MAX_BACKOFF_MS) - nowMs)

/**
 * The consecutive failures after these pods have terminated; a success resets them. Unlike in the status, failures that
 * a failure policy ignores count as well. Upstream: pkg/controller/job/backoff_utils.go newBackoffRecord.
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
