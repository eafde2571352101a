import {
  findUntoleratedTaint,
  labelHostname,
  labelZone,
  requiredNodes,
  type TopologySpreadConstraint
} from "@rollcall/api"
import type { NodeInfo, PodClass, PodInfo } from "../cache/CacheRecords.ts"
import { type LabelSelection, narrowed, selectionOf } from "../cache/LabelSelection.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { keepsAway } from "./TaintToleration.ts"

/** A topology spread constraint, prepared for counting. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly selection: LabelSelection
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
}

/**
 * Without a selector only the values of matchLabelKeys select; if the pod has none of those keys, nothing is selected.
 */
const selectorFor = ({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, { labels }: PodInfo) =>
  labelSelector === undefined && matchLabelKeys.some((key) => labels[key] !== undefined)
    ? narrowed({}, labels, matchLabelKeys)
    : narrowed(labelSelector, labels, matchLabelKeys)

const constraintOf = (constraint: TopologySpreadConstraint, pod: PodInfo): SpreadConstraint => ({
  topologyKey: constraint.topologyKey,
  maxSkew: constraint.maxSkew,
  minDomains: constraint.minDomains ?? 1,
  selection: selectionOf(selectorFor(constraint, pod)),
  honorsAffinity: constraint.nodeAffinityPolicy !== "Ignore",
  honorsTaints: constraint.nodeTaintsPolicy === "Honor"
})

/** The pod's own constraints of one kind. */
const ownConstraints = (
  pod: PodInfo,
  whenUnsatisfiable: TopologySpreadConstraint["whenUnsatisfiable"]
): ReadonlyArray<SpreadConstraint> =>
  (pod.pod.spec.topologySpreadConstraints ?? [])
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => constraintOf(constraint, pod))

/**
 * A constraint for pods without constraints of their own: without a selector, which comes from their Services and
 * owner.
 */
export type DefaultConstraint = Pick<TopologySpreadConstraint, "topologyKey" | "maxSkew" | "whenUnsatisfiable">

/** PodTopologySpreadArgs. */
export interface SpreadDefaults {
  readonly constraints: ReadonlyArray<DefaultConstraint>
  /** Whether nodes without a key of a default constraint score 0; under the system's defaults they are scored. */
  readonly needAllKeys: boolean
}

/** Upstream: pkg/scheduler/framework/plugins/podtopologyspread/plugin.go systemDefaultConstraints. */
export const systemDefaults: SpreadDefaults = {
  constraints: [
    { topologyKey: labelHostname, maxSkew: 3, whenUnsatisfiable: "ScheduleAnyway" },
    { topologyKey: labelZone, maxSkew: 5, whenUnsatisfiable: "ScheduleAnyway" }
  ],
  needAllKeys: false
}

const defaultConstraints = (
  pod: PodInfo,
  cache: SchedulingCache,
  constraints: ReadonlyArray<DefaultConstraint>
): ReadonlyArray<SpreadConstraint> => {
  const selection = constraints.length === 0 ? undefined : cache.workloads.siblingsOf(pod.pod)
  if (selection === undefined) return []
  return constraints.map(({ maxSkew, topologyKey }) => ({
    topologyKey,
    maxSkew,
    minDomains: 1,
    selection,
    honorsAffinity: true,
    honorsTaints: false
  }))
}

export const hasOwnConstraints = ({ pod }: PodInfo): boolean => (pod.spec.topologySpreadConstraints?.length ?? 0) > 0

/** The pod's own constraints of one kind; if it has none of any kind, the default ones for its Services or owner. */
export const constraintsFor = (
  pod: PodInfo,
  whenUnsatisfiable: TopologySpreadConstraint["whenUnsatisfiable"],
  cache: SchedulingCache,
  defaults: SpreadDefaults
): ReadonlyArray<SpreadConstraint> =>
  hasOwnConstraints(pod)
    ? ownConstraints(pod, whenUnsatisfiable)
    : defaultConstraints(
        pod,
        cache,
        defaults.constraints.filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
      )

const noClasses: ReadonlySet<PodClass> = new Set()

/** The pods that a constraint counts, by class. An empty selector counts none, though the pod itself matches it. */
export const countedClasses = (
  { selection }: SpreadConstraint,
  { namespace }: PodInfo,
  cache: SchedulingCache
): ReadonlySet<PodClass> =>
  selection.selectsAll
    ? noClasses
    : cache.classes.matching(
        `spread ${namespace} ${selection.key}`,
        (podClass) => podClass.namespace === namespace && selection.matches(podClass.labels)
      )

/** Whether a node's pods count, by the constraint's inclusion policies. */
export const inclusionOf = (pod: PodInfo): ((constraint: SpreadConstraint, node: NodeInfo) => boolean) => {
  const affinity = requiredNodes(pod.pod.spec)
  return ({ honorsAffinity, honorsTaints }, { node, taintSet }) => {
    if (node === undefined) return false
    if (honorsAffinity && affinity !== undefined && !affinity(node)) return false
    return !honorsTaints || findUntoleratedTaint(taintSet.taints, pod.tolerations, keepsAway) === undefined
  }
}
