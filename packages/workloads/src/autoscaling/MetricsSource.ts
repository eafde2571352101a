import type { MetricSpec } from "@rollcall/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ReadApi } from "./apiReader.ts"
import type { MetricAnswer, MetricRequest } from "./metrics.ts"
import { askMetricsApis } from "./metricsApis.ts"

export interface MetricsSourceShape {
  /** Answers with the metric's values, or with why there are none. */
  readonly ask: (request: MetricRequest) => Effect.Effect<MetricAnswer>
}

const notFound = (resource: string): string => `the server could not find the requested resource (get ${resource})`

/** What a cluster without a metrics server and without adapters answers, in the words of its clients. */
const unserved = ({ external, type }: MetricSpec): string => {
  const unable = (api: string, why: string) => `unable to fetch metrics from ${api} metrics API: ${why}`
  if (type === "Resource" || type === "ContainerResource") return unable("resource", notFound("pods.metrics.k8s.io"))
  if (type === "External") {
    return unable("external", notFound(`${external?.metric.name ?? ""}.external.metrics.k8s.io`))
  }
  return unable("custom", "no custom metrics API (custom.metrics.k8s.io) registered")
}

/**
 * The source of the metrics by which autoscalers scale: by default none. `metricsSourceContract` of
 * `@rollcall/workloads/testing` tests layers of it. Upstream: pkg/controller/podautoscaler/metrics/interfaces.go.
 */
export class MetricsSource extends Context.Service<MetricsSource, MetricsSourceShape>()(
  "@rollcall/workloads/MetricsSource"
) {
  /** A cluster in which nothing serves metrics. */
  static readonly layerNone: Layer.Layer<MetricsSource> = Layer.succeed(MetricsSource, {
    ask: ({ spec }) => Effect.succeed({ error: unserved(spec) })
  })

  /**
   * The metrics that an API server serves, by API servers that it aggregates: of metrics.k8s.io, custom.metrics.k8s.io
   * and external.metrics.k8s.io. `read` is a client of it.
   */
  static readonly layerApis = (read: ReadApi): Layer.Layer<MetricsSource> =>
    Layer.sync(MetricsSource, () => ({ ask: askMetricsApis(read) }))

  /** Metrics that a function models: what the pods of a workload use, from their number and the time. */
  static readonly layerModelled = (model: (request: MetricRequest) => MetricAnswer): Layer.Layer<MetricsSource> =>
    Layer.succeed(MetricsSource, { ask: (request) => Effect.sync(() => model(request)) })
}
