import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. */
export const placement: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Affinity
  nodeAffinity 1 NodeAffinity
  podAffinity 2 PodAffinity
  podAntiAffinity 3 PodAntiAffinity
NodeAffinity
  requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm
NodeSelector atomic
  nodeSelectorTerms 1 []NodeSelectorTerm !
NodeSelectorTerm atomic
  matchExpressions 1 []NodeSelectorRequirement
  matchFields 2 []NodeSelectorRequirement
NodeSelectorRequirement
  key 1 string !
  operator 2 string ! enum(DoesNotExist|Exists|Gt|In|Lt|NotIn)
  values 3 []string
PreferredSchedulingTerm
  weight 1 int32 !
  preference 2 NodeSelectorTerm ! &
PodAffinity
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm
PodAntiAffinity
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
Toleration
  key 1 string
  operator 2 string enum(Equal|Exists|Gt|Lt)
  value 3 string
  effect 4 string enum(NoExecute|NoSchedule|PreferNoSchedule)
  tolerationSeconds 5 int64 *
TopologySpreadConstraint
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
