import type { HorizontalPodAutoscaler, MetricSpec, ScalingRules } from "../objects/HorizontalPodAutoscaler.ts"
import { withDefaults, withFields, withPointerDefaults } from "./fill.ts"

/** Upstream: pkg/apis/autoscaling/v2/defaults.go. */

const defaultMetrics: ReadonlyArray<MetricSpec> = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }
]

const up: ScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 }
  ]
}

const down: ScalingRules = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }]
}

export const defaultAutoscaler = (autoscaler: HorizontalPodAutoscaler): HorizontalPodAutoscaler => {
  const spec: Partial<HorizontalPodAutoscaler["spec"]> = autoscaler.spec ?? {}
  const { behavior, metrics = [] } = spec
  const completed = withFields(withDefaults(spec, { minReplicas: 1 }), {
    metrics: metrics.length === 0 ? defaultMetrics : metrics,
    behavior:
      behavior &&
      withFields(behavior, {
        scaleUp: withPointerDefaults(behavior.scaleUp ?? {}, up),
        scaleDown: withPointerDefaults(behavior.scaleDown ?? {}, down)
      })
  })
  return completed === autoscaler.spec ? autoscaler : { ...autoscaler, spec: { ...autoscaler.spec, ...completed } }
}
