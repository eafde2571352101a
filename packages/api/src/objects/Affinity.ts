import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import { LabelSelector } from "./Meta.ts"

/** A condition on one label, or with matchFields on metadata.name. */
export const NodeSelectorRequirement = Schema.Struct({
  key: Schema.String,
  operator: oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
  values: opt(list(Schema.String))
})
export interface NodeSelectorRequirement extends Schema.Schema.Type<typeof NodeSelectorRequirement> {}

/** All its requirements must hold; an empty term matches nothing. */
export const NodeSelectorTerm = Schema.Struct({
  matchExpressions: opt(list(NodeSelectorRequirement)),
  matchFields: opt(list(NodeSelectorRequirement))
})
export interface NodeSelectorTerm extends Schema.Schema.Type<typeof NodeSelectorTerm> {}

/** One of its terms must hold. */
export const NodeSelector = Schema.Struct({ nodeSelectorTerms: list(NodeSelectorTerm) })
export interface NodeSelector extends Schema.Schema.Type<typeof NodeSelector> {}

/** A wish with a weight from 1 to 100. */
export const PreferredSchedulingTerm = Schema.Struct({ weight: Schema.Int, preference: NodeSelectorTerm })
export interface PreferredSchedulingTerm extends Schema.Schema.Type<typeof PreferredSchedulingTerm> {}

/** Which nodes a pod may run on, and which it prefers. */
export const NodeAffinity = Schema.Struct({
  requiredDuringSchedulingIgnoredDuringExecution: opt(NodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: opt(list(PreferredSchedulingTerm))
})
export interface NodeAffinity extends Schema.Schema.Type<typeof NodeAffinity> {}

/** Pods, and the topology domain in which to be with them or not. */
export const PodAffinityTerm = Schema.Struct({
  labelSelector: opt(LabelSelector),
  namespaces: opt(list(Schema.String)),
  topologyKey: Schema.String,
  namespaceSelector: opt(LabelSelector),
  matchLabelKeys: opt(list(Schema.String)),
  mismatchLabelKeys: opt(list(Schema.String))
})
export interface PodAffinityTerm extends Schema.Schema.Type<typeof PodAffinityTerm> {}

/** A wish with a weight from 1 to 100. */
export const WeightedPodAffinityTerm = Schema.Struct({ weight: Schema.Int, podAffinityTerm: PodAffinityTerm })
export interface WeightedPodAffinityTerm extends Schema.Schema.Type<typeof WeightedPodAffinityTerm> {}

/** Pod affinity and anti-affinity have the same fields. */
export const PodAffinity = Schema.Struct({
  requiredDuringSchedulingIgnoredDuringExecution: opt(list(PodAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: opt(list(WeightedPodAffinityTerm))
})
export interface PodAffinity extends Schema.Schema.Type<typeof PodAffinity> {}
export type PodAntiAffinity = PodAffinity

/** All placement rules but spreading. */
export const Affinity = Schema.Struct({
  nodeAffinity: opt(NodeAffinity),
  podAffinity: opt(PodAffinity),
  podAntiAffinity: opt(PodAffinity)
})
export interface Affinity extends Schema.Schema.Type<typeof Affinity> {}

/** How unevenly pods may lie over the domains of a topology. */
export const TopologySpreadConstraint = Schema.Struct({
  maxSkew: Schema.Int,
  topologyKey: Schema.String,
  whenUnsatisfiable: oneOf("DoNotSchedule", "ScheduleAnyway"),
  labelSelector: opt(LabelSelector),
  minDomains: opt(Schema.Int),
  nodeAffinityPolicy: opt(oneOf("Honor", "Ignore")),
  nodeTaintsPolicy: opt(oneOf("Honor", "Ignore")),
  matchLabelKeys: opt(list(Schema.String))
})
export interface TopologySpreadConstraint extends Schema.Schema.Type<typeof TopologySpreadConstraint> {}

/** Lets a pod stay on nodes with a taint, for ever or for tolerationSeconds. */
export const Toleration = Schema.Struct({
  key: opt(Schema.String),
  operator: opt(oneOf("Equal", "Exists", "Lt", "Gt")),
  value: opt(Schema.String),
  effect: opt(oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")),
  tolerationSeconds: opt(Schema.Int)
})
export interface Toleration extends Schema.Schema.Type<typeof Toleration> {}
