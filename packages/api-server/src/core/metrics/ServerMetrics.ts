import type { MetricSet } from "@rollcall/time"

/** What counts and measures the work of a server. */
export interface ServerMetrics {
  readonly set: MetricSet
  /** Returns real time in milliseconds, with fractions: durations are real even if the cluster's time runs faster. */
  readonly now: () => number
}
