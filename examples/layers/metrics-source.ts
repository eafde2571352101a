import { isPodReady } from "@rollcall/api"
import { MetricsSource } from "@rollcall/workloads"
import { defineLayers } from "@rollcall/worlds"

/** Millicores that all visitors of a workload need together: its ready pods share them. */
const WORK = 3600

/** Metrics of cpu for HorizontalPodAutoscalers: the work of a workload, divided among its ready pods. Other pods have no metrics. */
export default defineLayers(
  MetricsSource.layerModelled(({ now, pods, spec }) => {
    if (spec.resource?.name !== "cpu") return { error: `${spec.type} metrics are not modelled` }
    const ready = pods.filter(isPodReady)
    const value = Math.round(WORK / Math.max(1, ready.length))
    return {
      pods: new Map(ready.map(({ metadata }) => [metadata.name ?? "", { value, timestamp: now, windowMs: 30_000 }]))
    }
  })
)
