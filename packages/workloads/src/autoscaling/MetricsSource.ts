import type { MetricSpec, Pod, Selector } from "@rollcall/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MetricAnswer } from "./metrics.ts"

/** A question for one metric of an autoscaler. */
export interface MetricRequest {
  readonly spec: MetricSpec
  readonly namespace: string
  /** Selects the pods of the workload. */
  readonly selector: Selector
  /** The pods that it selects. */
  readonly pods: ReadonlyArray<Pod>
  /** Milliseconds since the epoch. */
  readonly now: number
}

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

  /** Metrics that a function models: what the pods of a workload use, from their number and the time. */
  static readonly layerModelled = (model: (request: MetricRequest) => MetricAnswer): Layer.Layer<MetricsSource> =>
    Layer.succeed(MetricsSource, { ask: (request) => Effect.sync(() => model(request)) })
}
