import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"
import { ConditionStatus, Quantity, Time } from "./Scalars.ts"

export const CrossVersionObjectReference = Schema.Struct({
  kind: Schema.String,
  name: Schema.String,
  apiVersion: opt(Schema.String)
})
export interface CrossVersionObjectReference extends Schema.Schema.Type<typeof CrossVersionObjectReference> {}

export const MetricTarget = Schema.Struct({
  type: Schema.String,
  value: opt(Quantity),
  averageValue: opt(Quantity),
  averageUtilization: opt(Schema.Int)
})
export interface MetricTarget extends Schema.Schema.Type<typeof MetricTarget> {}

export const MetricIdentifier = Schema.Struct({ name: Schema.String, selector: opt(LabelSelector) })
export interface MetricIdentifier extends Schema.Schema.Type<typeof MetricIdentifier> {}

export const MetricSpec = Schema.Struct({
  type: Schema.String,
  object: opt(
    Schema.Struct({ describedObject: CrossVersionObjectReference, target: MetricTarget, metric: MetricIdentifier })
  ),
  pods: opt(Schema.Struct({ metric: MetricIdentifier, target: MetricTarget })),
  resource: opt(Schema.Struct({ name: Schema.String, target: MetricTarget })),
  containerResource: opt(Schema.Struct({ name: Schema.String, target: MetricTarget, container: Schema.String })),
  external: opt(Schema.Struct({ metric: MetricIdentifier, target: MetricTarget }))
})
export interface MetricSpec extends Schema.Schema.Type<typeof MetricSpec> {}

const MetricValueStatus = Schema.Struct({
  value: opt(Quantity),
  averageValue: opt(Quantity),
  averageUtilization: opt(Schema.Int)
})

export const MetricStatus = Schema.Struct({
  type: Schema.String,
  object: opt(
    Schema.Struct({
      metric: MetricIdentifier,
      current: MetricValueStatus,
      describedObject: CrossVersionObjectReference
    })
  ),
  pods: opt(Schema.Struct({ metric: MetricIdentifier, current: MetricValueStatus })),
  resource: opt(Schema.Struct({ name: Schema.String, current: MetricValueStatus })),
  containerResource: opt(Schema.Struct({ name: Schema.String, current: MetricValueStatus, container: Schema.String })),
  external: opt(Schema.Struct({ metric: MetricIdentifier, current: MetricValueStatus }))
})
export interface MetricStatus extends Schema.Schema.Type<typeof MetricStatus> {}

const ScalingPolicy = Schema.Struct({
  type: oneOf("Pods", "Percent"),
  value: Schema.Int,
  periodSeconds: Schema.Int
})

export const ScalingRules = Schema.Struct({
  stabilizationWindowSeconds: opt(Schema.Int),
  selectPolicy: opt(oneOf("Max", "Min", "Disabled")),
  policies: opt(list(ScalingPolicy)),
  tolerance: opt(Quantity)
})
export interface ScalingRules extends Schema.Schema.Type<typeof ScalingRules> {}

export const AutoscalerBehavior = Schema.Struct({ scaleUp: opt(ScalingRules), scaleDown: opt(ScalingRules) })
export interface AutoscalerBehavior extends Schema.Schema.Type<typeof AutoscalerBehavior> {}

export const AutoscalerCondition = Schema.Struct({
  type: Schema.String,
  status: ConditionStatus,
  lastTransitionTime: opt(Schema.NullOr(Time)),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface AutoscalerCondition extends Schema.Schema.Type<typeof AutoscalerCondition> {}

export const AutoscalerStatus = Schema.Struct({
  observedGeneration: opt(Schema.Int),
  lastScaleTime: opt(Time),
  currentReplicas: opt(Schema.Int),
  desiredReplicas: opt(Schema.Int),
  currentMetrics: opt(Schema.NullOr(list(MetricStatus))),
  conditions: opt(list(AutoscalerCondition))
})
export interface AutoscalerStatus extends Schema.Schema.Type<typeof AutoscalerStatus> {}

/** Scales a workload by metrics of its pods, or by others. */
export const HorizontalPodAutoscaler = Schema.Struct({
  ...typed("autoscaling/v2", "HorizontalPodAutoscaler"),
  spec: Schema.Struct({
    scaleTargetRef: CrossVersionObjectReference,
    minReplicas: opt(Schema.Int),
    maxReplicas: Schema.Int,
    metrics: opt(list(MetricSpec)),
    behavior: opt(AutoscalerBehavior)
  }),
  status: opt(AutoscalerStatus)
})
export interface HorizontalPodAutoscaler extends Schema.Schema.Type<typeof HorizontalPodAutoscaler> {}
