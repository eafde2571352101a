import type { Pod } from "@rollcall/api"
import { endOf } from "./jobPods.ts"

/** Upstream: DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff. */
const FIRST_MS = 10_000
const MOST_MS = 600_000

/** Failures in a row, and the last of them: after each the next pod waits twice as long. */
export interface Failures {
  readonly count: number
  readonly lastMs: number
}

export const noFailures: Failures = { count: 0, lastMs: Number.NEGATIVE_INFINITY }

/** What is left of the wait after so many failures. Upstream: getRemainingTimeForFailuresCount. */
export const backoffLeftMs = ({ count, lastMs }: Failures, nowMs: number): number =>
  count === 0 ? 0 : Math.max(0, lastMs + Math.min(FIRST_MS * 2 ** (count - 1), MOST_MS) - nowMs)

/**
 * The failures in a row after these pods have ended; a success begins anew. Failures that a policy ignores count here.
 * Upstream: pkg/controller/job/backoff_utils.go newBackoffRecord.
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
