import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { joinFamilies, snapshotsOf } from "./snapshot.ts"
import { textOf } from "./text.ts"

/**
 * Formats the metrics of these contexts in Prometheus' text format 0.0.4, in order of their first occurrence. Effect's
 * own printer (`effect/observability/PrometheusMetrics`) loads Effect's HTTP server: 20 MiB and 220 ms for each
 * component (`pnpm bench libraries`).
 */
export const metricsText = (...contexts: ReadonlyArray<Context.Context<never>>): string =>
  textOf(joinFamilies(contexts.flatMap(snapshotsOf)))

/** Returns a separate metrics registry: its counts are in no other context. */
export const metricsContext = (): Context.Context<never> => Metric.MetricRegistry.context(new Map())
