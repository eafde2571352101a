import { counter, type Distribution, histogram, type SeriesMap, type Value } from "@rollcall/time"
import type { ServerMetrics } from "../../core/metrics/ServerMetrics.ts"
import type { ConversionFault } from "./review.ts"

const FIRST_BUCKET = 0.001
const BUCKETS = 15

/** Upstream: apiextensions-apiserver/pkg/apiserver/conversion/metrics.go. */
export const conversionFamilies = {
  definitionDurations: histogram(
    "apiserver_crd_conversion_webhook_duration_seconds",
    Array.from({ length: BUCKETS }, (_, index) => FIRST_BUCKET * 2 ** index),
    "ALPHA",
    "How long conversions of custom resources by webhooks took, by definition, versions and success.",
    ["crd_name", "from_version", "to_version", "succeeded"]
  ),
  requests: counter(
    "apiserver_conversion_webhook_request_total",
    "ALPHA",
    "Calls of conversion webhooks, by result and type of failure.",
    ["result", "failure_type"]
  ),
  durations: histogram(
    "apiserver_conversion_webhook_duration_seconds",
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
    "ALPHA",
    "How long calls of conversion webhooks took, by result and type of failure.",
    ["result", "failure_type"]
  )
}

type ResultLabel = "failure_type" | "result"

interface Series {
  readonly definitionDurations: SeriesMap<"crd_name" | "from_version" | "succeeded" | "to_version", Distribution>
  readonly requests: SeriesMap<ResultLabel, Value>
  readonly durations: SeriesMap<ResultLabel, Distribution>
}

/** One call of a conversion webhook. */
export interface ConversionCall {
  readonly definition: string
  readonly fromVersion: string
  readonly toVersion: string
  /** Undefined for a success. */
  readonly failure: ConversionFault["type"] | undefined
}

/** Counts the calls of conversion webhooks, in a server that measures its work. */
export class ConversionMetrics {
  private readonly metrics: ServerMetrics | undefined
  private readonly series: Series | undefined

  constructor(metrics: ServerMetrics | undefined) {
    this.metrics = metrics
    this.series = metrics && {
      definitionDurations: metrics.set.distributions(conversionFamilies.definitionDurations),
      requests: metrics.set.values(conversionFamilies.requests),
      durations: metrics.set.distributions(conversionFamilies.durations)
    }
  }

  now(): number {
    return this.metrics?.now() ?? 0
  }

  observe({ definition, failure, fromVersion, toVersion }: ConversionCall, startMs: number): void {
    if (this.series === undefined) return
    const seconds = (this.now() - startMs) / 1000
    const labels = { result: failure === undefined ? "success" : "failure", failure_type: failure ?? "" }
    this.series.requests.with(labels).add()
    this.series.durations.with(labels).observe(seconds)
    this.series.definitionDurations
      .with({
        crd_name: definition,
        from_version: fromVersion,
        to_version: toVersion,
        succeeded: String(failure === undefined)
      })
      .observe(seconds)
  }
}
