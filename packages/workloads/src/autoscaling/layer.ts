import { currentGates } from "@rollcall/api"
import { Controller } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Autoscalers } from "./Autoscalers.ts"
import { MetricsSource } from "./MetricsSource.ts"
import { type AutoscalerConfig, defaultAutoscalerConfig } from "./metrics.ts"
import { AutoscalerMonitor } from "./monitor.ts"

/**
 * Scales workloads by the metrics of their HorizontalPodAutoscalers while the layer lives, through the Cluster in
 * context. The metrics come from the `MetricsSource` in context, if there is one.
 */
export const layerAutoscalers = (settings: Partial<AutoscalerConfig> = {}) => {
  const config = { ...defaultAutoscalerConfig, ...settings }
  return Controller.make({
    name: "horizontal-pod-autoscaler",
    queue: "horizontalpodautoscaler",
    records: true,
    for: "HorizontalPodAutoscaler",
    // Upstream's queue has one interval for new objects, for changed ones, and for the next reconcile.
    delayMs: (_, { isDeleted }) => (isDeleted ? 0 : config.syncPeriodMs),
    watches: { Pod: { indexes: { namespace: ({ metadata }) => metadata.namespace } } },
    workers: config.concurrentSyncs,
    reconcile: Effect.fnUntraced(function* ({ cache, ...parts }) {
      const given = Option.getOrUndefined(yield* Effect.serviceOption(MetricsSource))
      const source = given ?? (yield* Effect.provide(MetricsSource, MetricsSource.layerNone))
      const caches = { autoscalers: cache("HorizontalPodAutoscaler"), pods: cache("Pod") }
      const scalesToZero = settings.scalesToZero ?? (yield* currentGates).HPAScaleToZero
      const monitor = new AutoscalerMonitor(yield* Effect.context<never>())
      const count = () => monitor.counted(caches.autoscalers.size())
      caches.autoscalers.addHandler({ onAdd: count, onDelete: count })
      const controller = new Autoscalers({ ...parts, ...caches, source, monitor, config: { ...config, scalesToZero } })
      return (key: string) => controller.sync(key)
    })
  })
}
