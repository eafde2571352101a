import type { HorizontalPodAutoscaler } from "@rollcall/api"
import type { Condition } from "./Draft.ts"
import { type BehaviorRules, type Bounds, type History, limitByDefault } from "./History.ts"
import type { AutoscalerConfig } from "./metrics.ts"

/** The rules of both directions, with the controller's own window for scaling down. */
export const behaviorRules = (
  { spec: { behavior } }: Pick<HorizontalPodAutoscaler, "spec">,
  { downscaleStabilizationMs }: Pick<AutoscalerConfig, "downscaleStabilizationMs">
): BehaviorRules | undefined =>
  behavior && {
    up: behavior.scaleUp ?? {},
    down: { stabilizationWindowSeconds: Math.trunc(downscaleStabilizationMs / 1000), ...behavior.scaleDown }
  }

export type SetCondition = (condition: Condition) => void

/** Returns the number of replicas to scale to, from that which the metrics propose. Upstream: normalizeDesiredReplicas. */
export const normalized = (
  autoscaler: HorizontalPodAutoscaler,
  desired: number,
  bounds: Bounds,
  history: History,
  now: number,
  config: AutoscalerConfig,
  set: SetCondition
): number => {
  const rules = behaviorRules(autoscaler, config)
  const higher = "recent recommendations were higher than current one, applying the highest recent recommendation"
  const stable =
    rules === undefined
      ? {
          replicas: history.stabilize(desired, now, config.downscaleStabilizationMs),
          reason: "ScaleDownStabilized",
          message: higher
        }
      : history.stabilizeByRules(desired, rules, bounds.current, now)
  const able = { type: "AbleToScale", status: "True" } as const
  if (stable.replicas !== desired) set({ ...able, reason: stable.reason, message: stable.message })
  else set({ ...able, reason: "ReadyForNewScale", message: "recommended size matches current size" })
  const { message, reason, replicas } =
    rules === undefined
      ? limitByDefault(stable.replicas, bounds, config)
      : history.limitByRules(stable.replicas, bounds, rules, now)
  set({ type: "ScalingLimited", status: replicas === stable.replicas ? "False" : "True", reason, message })
  return replicas
}
