import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const placement: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
Affinity # Requirements of a pod for its node and for the pods near it.
  nodeAffinity 1 NodeAffinity
  podAffinity 2 PodAffinity
  podAntiAffinity 3 PodAntiAffinity
NodeAffinity # Requirements of a pod for its node.
  requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm
NodeSelector structType=atomic # Selects the nodes that satisfy at least one term.
  nodeSelectorTerms 1 []NodeSelectorTerm required
NodeSelectorTerm structType=atomic # Requirements that a node must all meet.
  matchExpressions 1 []NodeSelectorRequirement
  matchFields 2 []NodeSelectorRequirement
NodeSelectorRequirement
  key 1 string required
  operator 2 string required enum=DoesNotExist|Exists|Gt|In|Lt|NotIn
  values 3 []string
PreferredSchedulingTerm
  weight 1 int32 required
  preference 2 NodeSelectorTerm required byValue
PodAffinity # Rules about the pods near which the pod is scheduled.
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm
PodAntiAffinity # Rules about the pods away from which the pod is scheduled.
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm
PodAffinityTerm
  labelSelector 1 meta.LabelSelector
  namespaces 2 []string
  topologyKey 3 string required
  namespaceSelector 4 meta.LabelSelector
  matchLabelKeys 5 []string
  mismatchLabelKeys 6 []string
WeightedPodAffinityTerm
  weight 1 int32 required
  podAffinityTerm 2 PodAffinityTerm required byValue
Toleration # A set of taints that a pod tolerates.
  key 1 string # The key of the taint; an empty key matches all keys, and then requires the operator Exists.
  operator 2 string enum=Equal|Exists|Gt|Lt # The comparison with the value. Default: Equal.
  value 3 string # The value of the taint.
  effect 4 string enum=NoExecute|NoSchedule|PreferNoSchedule # The effect of the taint; an empty effect matches all effects.
  tolerationSeconds 5 int64 pointer # The time in seconds that a NoExecute taint is tolerated; if absent, it is tolerated without limit.
TopologySpreadConstraint # Limits how unevenly similar pods are spread over topology domains.
  maxSkew 1 int32 required
  topologyKey 2 string required
  whenUnsatisfiable 3 string required enum=DoNotSchedule|ScheduleAnyway
  labelSelector 4 meta.LabelSelector
  minDomains 5 int32 pointer
  nodeAffinityPolicy 6 string pointer enum=Honor|Ignore
  nodeTaintsPolicy 7 string pointer enum=Honor|Ignore
  matchLabelKeys 8 []string
TopologySelectorTerm structType=atomic
  matchLabelExpressions 1 []TopologySelectorLabelRequirement
TopologySelectorLabelRequirement
  key 1 string required
  values 2 []string required
`
}
