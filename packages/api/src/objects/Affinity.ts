import * as Schema from "effect/Schema"
import { list, oneOf, opt } from "../internal/fields.ts"
import type { Toleration as PlainToleration } from "../Toleration.ts"
import { LabelSelector } from "./Meta.ts"

/** A condition on one label, or in matchFields on metadata.name. */
export const NodeSelectorRequirement = Schema.Struct({
  key: Schema.String,
  operator: oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
  values: opt(list(Schema.String))
})
export interface NodeSelectorRequirement extends Schema.Schema.Type<typeof NodeSelectorRequirement> {}

/** A conjunction of requirements; an empty term matches nothing. */
export const NodeSelectorTerm = Schema.Struct({
  matchExpressions: opt(list(NodeSelectorRequirement)),
  matchFields: opt(list(NodeSelectorRequirement))
})
export interface NodeSelectorTerm extends Schema.Schema.Type<typeof NodeSelectorTerm> {}

/** A disjunction of terms. */
export const NodeSelector = Schema.Struct({ nodeSelectorTerms: list(NodeSelectorTerm) })
export interface NodeSelector extends Schema.Schema.Type<typeof NodeSelector> {}

/** A preference with a weight from 1 to 100. */
export const PreferredSchedulingTerm = Schema.Struct({ weight: Schema.Int, preference: NodeSelectorTerm })
export interface PreferredSchedulingTerm extends Schema.Schema.Type<typeof PreferredSchedulingTerm> {}

/** The nodes that a pod requires, and those that it prefers. */
export const NodeAffinity = Schema.Struct({
  requiredDuringSchedulingIgnoredDuringExecution: opt(NodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: opt(list(PreferredSchedulingTerm))
})
export interface NodeAffinity extends Schema.Schema.Type<typeof NodeAffinity> {}

/** A set of pods, and the topology domain that a pod shares with them or avoids. */
export const PodAffinityTerm = Schema.Struct({
  labelSelector: opt(LabelSelector),
  namespaces: opt(list(Schema.String)),
  topologyKey: Schema.String,
  namespaceSelector: opt(LabelSelector),
  matchLabelKeys: opt(list(Schema.String)),
  mismatchLabelKeys: opt(list(Schema.String))
})
export interface PodAffinityTerm extends Schema.Schema.Type<typeof PodAffinityTerm> {}

/** A preference with a weight from 1 to 100. */
export const WeightedPodAffinityTerm = Schema.Struct({ weight: Schema.Int, podAffinityTerm: PodAffinityTerm })
export interface WeightedPodAffinityTerm extends Schema.Schema.Type<typeof WeightedPodAffinityTerm> {}

/** The fields of pod affinity and of pod anti-affinity. */
export const PodAffinity = Schema.Struct({
  requiredDuringSchedulingIgnoredDuringExecution: opt(list(PodAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: opt(list(WeightedPodAffinityTerm))
})
export interface PodAffinity extends Schema.Schema.Type<typeof PodAffinity> {}
export type PodAntiAffinity = PodAffinity

/** All placement rules except topology spreading. */
export const Affinity = Schema.Struct({
  nodeAffinity: opt(NodeAffinity),
  podAffinity: opt(PodAffinity),
  podAntiAffinity: opt(PodAffinity)
})
export interface Affinity extends Schema.Schema.Type<typeof Affinity> {}

/** The permitted skew of pods over the domains of a topology. */
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
export const Toleration: Schema.Codec<PlainToleration> = Schema.Struct({
  key: opt(Schema.String),
  operator: opt(oneOf("Equal", "Exists", "Lt", "Gt")),
  value: opt(Schema.String),
  effect: opt(oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")),
  tolerationSeconds: opt(Schema.Int)
})
export interface Toleration extends PlainToleration {}
