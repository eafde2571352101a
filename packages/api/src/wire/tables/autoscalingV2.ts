import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/autoscaling/v2/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const autoscalingV2: Table = {
  package: "io.k8s.api.autoscaling.v2",
  group: "autoscaling",
  messages: `
HorizontalPodAutoscaler kind hasList # Scales a workload by the use of its pods, or by other metrics.
  metadata 1 meta.ObjectMeta byValue
  spec 2 HorizontalPodAutoscalerSpec required byValue
  status 3 HorizontalPodAutoscalerStatus byValue
HorizontalPodAutoscalerSpec
  scaleTargetRef 1 CrossVersionObjectReference required byValue # The workload that is scaled.
  minReplicas 2 int32 pointer # The lowest number of replicas, 1 by default.
  maxReplicas 3 int32 required # The highest number of replicas.
  metrics 4 []MetricSpec listType=atomic # The metrics; the one that needs the most replicas decides.
  behavior 5 HorizontalPodAutoscalerBehavior # How fast it scales in each direction.
CrossVersionObjectReference
  kind 1 string required
  name 2 string required
  apiVersion 3 string
MetricSpec
  type 1 string required
  object 2 ObjectMetricSource
  pods 3 PodsMetricSource
  resource 4 ResourceMetricSource
  containerResource 7 ContainerResourceMetricSource
  external 5 ExternalMetricSource
HorizontalPodAutoscalerBehavior
  scaleUp 1 HPAScalingRules
  scaleDown 2 HPAScalingRules
HPAScalingRules
  stabilizationWindowSeconds 3 int32 pointer
  selectPolicy 1 string pointer
  policies 2 []HPAScalingPolicy listType=atomic
  tolerance 4 Quantity pointer
HPAScalingPolicy
  type 1 string required
  value 2 int32 required
  periodSeconds 3 int32 required
ObjectMetricSource
  describedObject 1 CrossVersionObjectReference required byValue
  target 2 MetricTarget required byValue
  metric 3 MetricIdentifier required byValue
PodsMetricSource
  metric 1 MetricIdentifier required byValue
  target 2 MetricTarget required byValue
ResourceMetricSource
  name 1 string required
  target 2 MetricTarget required byValue
ContainerResourceMetricSource
  name 1 string required
  target 2 MetricTarget required byValue
  container 3 string required
ExternalMetricSource
  metric 1 MetricIdentifier required byValue
  target 2 MetricTarget required byValue
MetricIdentifier
  name 1 string required
  selector 2 meta.LabelSelector
MetricTarget
  type 1 string required
  value 2 Quantity pointer
  averageValue 3 Quantity pointer
  averageUtilization 4 int32 pointer
HorizontalPodAutoscalerStatus
  observedGeneration 1 int64 pointer
  lastScaleTime 2 Time pointer
  currentReplicas 3 int32
  desiredReplicas 4 int32 required
  currentMetrics 5 []MetricStatus noOmitEmpty listType=atomic
  conditions 6 []HorizontalPodAutoscalerCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
HorizontalPodAutoscalerCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
MetricStatus
  type 1 string required
  object 2 ObjectMetricStatus
  pods 3 PodsMetricStatus
  resource 4 ResourceMetricStatus
  containerResource 7 ContainerResourceMetricStatus
  external 5 ExternalMetricStatus
ObjectMetricStatus
  metric 1 MetricIdentifier required byValue
  current 2 MetricValueStatus required byValue
  describedObject 3 CrossVersionObjectReference required byValue
PodsMetricStatus
  metric 1 MetricIdentifier required byValue
  current 2 MetricValueStatus required byValue
ResourceMetricStatus
  name 1 string required
  current 2 MetricValueStatus required byValue
ContainerResourceMetricStatus
  name 1 string required
  current 2 MetricValueStatus required byValue
  container 3 string required
ExternalMetricStatus
  metric 1 MetricIdentifier required byValue
  current 2 MetricValueStatus required byValue
MetricValueStatus
  value 1 Quantity pointer
  averageValue 2 Quantity pointer
  averageUtilization 3 int32 pointer
`
}
