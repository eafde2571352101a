import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const placement: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Affinity # What a pod wants of its node and of its neighbours.
  nodeAffinity 1 NodeAffinity
  podAffinity 2 PodAffinity
  podAntiAffinity 3 PodAntiAffinity
NodeAffinity # What a pod wants of its node.
  requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm
NodeSelector atomic # Nodes that satisfy one of some terms.
  nodeSelectorTerms 1 []NodeSelectorTerm !
NodeSelectorTerm atomic # Requirements that a node must meet together.
  matchExpressions 1 []NodeSelectorRequirement
  matchFields 2 []NodeSelectorRequirement
NodeSelectorRequirement
  key 1 string !
  operator 2 string ! enum(DoesNotExist|Exists|Gt|In|Lt|NotIn)
  values 3 []string
PreferredSchedulingTerm
  weight 1 int32 !
  preference 2 NodeSelectorTerm ! &
PodAffinity # Which pods it wants to be near.
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm
PodAntiAffinity # Which pods it wants to be away from.
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
Toleration # Taints that a pod puts up with.
  key 1 string # The key of the taint; empty means every key, and then the operator must be Exists.
  operator 2 string enum(Equal|Exists|Gt|Lt) # How the value compares: Equal is meant when it is left out.
  value 3 string # The value of the taint.
  effect 4 string enum(NoExecute|NoSchedule|PreferNoSchedule) # The effect of the taint; empty means every effect.
  tolerationSeconds 5 int64 * # How long a NoExecute taint is put up with; without it, for ever.
TopologySpreadConstraint # How far the numbers of like pods in the parts of a cluster may differ.
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
