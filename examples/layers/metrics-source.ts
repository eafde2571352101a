import { MetricsSource } from "@rollcall/workloads"
import { defineLayers } from "@rollcall/worlds"

/** Millicores that all visitors of a workload need together: its pods share them. */
const WORK = 2400

/** Metrics of cpu for HorizontalPodAutoscalers: the work of a workload, divided among its pods. */
export default defineLayers(
  MetricsSource.layerModelled(({ now, pods, spec }) => {
    if (spec.resource?.name !== "cpu") return { error: `${spec.type} metrics are not modelled` }
    const value = Math.round(WORK / Math.max(1, pods.length))
    return {
      pods: new Map(pods.map(({ metadata }) => [metadata.name ?? "", { value, timestamp: now, windowMs: 30_000 }]))
    }
  })
)
