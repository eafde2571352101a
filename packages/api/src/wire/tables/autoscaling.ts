import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/autoscaling/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const autoscaling: Table = {
  package: "io.k8s.api.autoscaling.v1",
  group: "autoscaling",
  messages: `
HorizontalPodAutoscaler kind hasList # Scales a workload by the cpu that its pods use.
  metadata 1 meta.ObjectMeta byValue
  spec 2 HorizontalPodAutoscalerSpec required byValue
  status 3 HorizontalPodAutoscalerStatus byValue
HorizontalPodAutoscalerSpec
  scaleTargetRef 1 CrossVersionObjectReference required byValue # The workload that is scaled.
  minReplicas 2 int32 pointer # The lowest number of replicas, 1 by default.
  maxReplicas 3 int32 required # The highest number of replicas.
  targetCPUUtilizationPercentage 4 int32 pointer # The cpu that the pods are to use on average, in percent of their requests.
HorizontalPodAutoscalerStatus
  observedGeneration 1 int64 pointer
  lastScaleTime 2 Time pointer
  currentReplicas 3 int32 required
  desiredReplicas 4 int32 required
  currentCPUUtilizationPercentage 5 int32 pointer
CrossVersionObjectReference structType=atomic
  kind 1 string required
  name 2 string required
  apiVersion 3 string
Scale kind # The desired and the actual number of pods of a workload.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ScaleSpec byValue
  status 3 ScaleStatus byValue
ScaleSpec
  replicas 1 int32 default=0
ScaleStatus
  replicas 1 int32 required
  selector 2 string
`
}
