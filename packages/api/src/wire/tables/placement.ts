import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const placement: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Affinity # Requirements of a pod for its node and for the pods near it.
  nodeAffinity 1 NodeAffinity
  podAffinity 2 PodAffinity
  podAntiAffinity 3 PodAntiAffinity
NodeAffinity # Requirements of a pod for its node.
  requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm
NodeSelector atomic # Selects the nodes that satisfy at least one term.
  nodeSelectorTerms 1 []NodeSelectorTerm !
NodeSelectorTerm atomic # Requirements that a node must all meet.
  matchExpressions 1 []NodeSelectorRequirement
  matchFields 2 []NodeSelectorRequirement
NodeSelectorRequirement
  key 1 string !
  operator 2 string ! enum(DoesNotExist|Exists|Gt|In|Lt|NotIn)
  values 3 []string
PreferredSchedulingTerm
  weight 1 int32 !
  preference 2 NodeSelectorTerm ! &
PodAffinity # Rules about the pods near which the pod is scheduled.
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm
PodAntiAffinity # Rules about the pods away from which the pod is scheduled.
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm
PodAffinityTerm
  labelSelector 1 meta.LabelSelector
  namespaces 2 []string
  topologyKey 3 string !
  namespaceSelector 4 meta.LabelSelector
  matchLabelKeys 5 []string
  mismatchLabelKeys 6 []string
WeightedPodAffinityTerm
  weight 1 int32 !
  podAffinityTerm 2 PodAffinityTerm ! &
Toleration # A set of taints that a pod tolerates.
  key 1 string # The key of the taint; an empty key matches all keys, and then requires the operator Exists.
  operator 2 string enum(Equal|Exists|Gt|Lt) # The comparison with the value. Default: Equal.
  value 3 string # The value of the taint.
  effect 4 string enum(NoExecute|NoSchedule|PreferNoSchedule) # The effect of the taint; an empty effect matches all effects.
  tolerationSeconds 5 int64 * # The time in seconds that a NoExecute taint is tolerated; if absent, it is tolerated without limit.
TopologySpreadConstraint # Limits how unevenly similar pods are spread over topology domains.
  maxSkew 1 int32 !
  topologyKey 2 string !
  whenUnsatisfiable 3 string ! enum(DoNotSchedule|ScheduleAnyway)
  labelSelector 4 meta.LabelSelector
  minDomains 5 int32 *
  nodeAffinityPolicy 6 string * enum(Honor|Ignore)
  nodeTaintsPolicy 7 string * enum(Honor|Ignore)
  matchLabelKeys 8 []string
TopologySelectorTerm atomic
  matchLabelExpressions 1 []TopologySelectorLabelRequirement
TopologySelectorLabelRequirement
  key 1 string !
  values 2 []string !
`
}
