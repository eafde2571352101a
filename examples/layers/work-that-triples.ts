import { isPodReady } from "@rollcall/api"
import { Timers } from "@rollcall/time"
import { MetricsSource } from "@rollcall/workloads"
import { defineLayers } from "@rollcall/worlds"
import { Effect, Layer } from "effect"

/** Millicores that all visitors of a workload need together, before and after `MANY_AFTER_MS`: its ready pods share them. */
const FEW = 2400
const MANY = 7200
const MANY_AFTER_MS = 8 * 60_000

/** Metrics of cpu for HorizontalPodAutoscalers: the work of a workload, divided among its ready pods. Other pods have no metrics. */
export default defineLayers(
  Layer.unwrap(
    Effect.map(Timers, (timers) => {
      const manyAtMs = timers.now() + MANY_AFTER_MS
      return MetricsSource.layerModelled(({ now, pods, spec }) => {
        if (spec.resource?.name !== "cpu") return { error: `${spec.type} metrics are not modelled` }
        const ready = pods.filter(isPodReady)
        const work = timers.now() < manyAtMs ? FEW : MANY
        const value = Math.round(work / Math.max(1, ready.length))
        return {
          pods: new Map(ready.map(({ metadata }) => [metadata.name ?? "", { value, timestamp: now, windowMs: 30_000 }]))
        }
      })
    })
  )
)
