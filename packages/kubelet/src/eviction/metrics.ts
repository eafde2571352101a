import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { LimitSignal } from "./localLimits.ts"
import type { EvictionSignal } from "./Signals.ts"

/** Upstream: pkg/kubelet/metrics/metrics.go. */
export const kubeletEvictions = Metric.counter("kubelet_evictions", {
  description: "[ALPHA] Cumulative number of pod evictions by eviction signal",
  incremental: true
})

/** The boundaries are Prometheus' default buckets, as upstream. */
export const kubeletEvictionStatsAgeSeconds = Metric.histogram("kubelet_eviction_stats_age_seconds", {
  description:
    "[ALPHA] Time between when stats are collected, and when pod is evicted based on those stats by eviction signal",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Receives the metrics of an eviction manager. */
export interface EvictionMeter {
  /** A pod was evicted because of this signal. */
  readonly evicted: (signal: EvictionSignal | LimitSignal) => void
  /** The age of the readings on which an eviction was based. */
  readonly statsAge: (signal: EvictionSignal, seconds: number) => void
}

/** Returns a meter that updates the metrics of a context. */
export const makeEvictionMeter = (context: Context.Context<never>): EvictionMeter => ({
  evicted: (signal) =>
    kubeletEvictions.pipe(Metric.withAttributes({ eviction_signal: signal })).updateUnsafe(1, context),
  statsAge: (signal, seconds) =>
    kubeletEvictionStatsAgeSeconds
      .pipe(Metric.withAttributes({ eviction_signal: signal }))
      .updateUnsafe(seconds, context)
})
