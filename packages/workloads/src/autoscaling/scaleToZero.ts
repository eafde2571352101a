import type { HorizontalPodAutoscaler } from "@rollcall/api"
import type { Condition } from "./Draft.ts"
import type { Bounds } from "./History.ts"

/** What decides about scaling to zero and back. Upstream: the feature gate HPAScaleToZero. */
export interface ZeroRules {
  readonly isEnabled: boolean
  /** Whether this controller scaled the workload to zero, and not a user. */
  readonly wasScaledToZero: boolean
  /** Whether a metric says something without pods. */
  readonly hasMetricsWithoutPods: boolean
}

export const zeroRulesOf = ({ spec, status }: HorizontalPodAutoscaler, isEnabled: boolean): ZeroRules => ({
  isEnabled,
  wasScaledToZero:
    isEnabled && status?.conditions?.some((one) => one.type === "ScaledToZero" && one.status === "True") === true,
  hasMetricsWithoutPods: spec.metrics?.some(({ type }) => type === "Object" || type === "External") === true
})

/** Whether metrics may scale a workload without replicas. Upstream: shouldComputeMetricsForZeroReplicas. */
export const leavesZero = ({ hasMetricsWithoutPods, wasScaledToZero }: ZeroRules, { min }: Bounds): boolean =>
  wasScaledToZero && (min !== 0 || hasMetricsWithoutPods)

/** The condition after a rescale; undefined if there must be none. */
export const zeroCondition = (
  { hasMetricsWithoutPods, isEnabled }: ZeroRules,
  { current, min }: Bounds,
  replicas: number
): Condition | undefined => {
  if (!isEnabled) return undefined
  const type = "ScaledToZero"
  return current > 0 && replicas === 0 && min === 0 && hasMetricsWithoutPods
    ? { type, status: "True", reason: type, message: "the HPA controller scaled the workload to zero" }
    : {
        type,
        status: "False",
        reason: "NotScaledToZero",
        message: "the HPA controller did not scale the workload to zero"
      }
}
