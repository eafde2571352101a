import {
  findUntoleratedTaint,
  labelHostname,
  labelZone,
  requiredNodes,
  type TopologySpreadConstraint
} from "@rollcall/api"
import type { NodeInfo, PodClass, PodInfo } from "../cache/CacheRecords.ts"
import { type LabelSelection, selectionOf, withLabelKeys } from "../cache/LabelSelection.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { isNoScheduleOrNoExecute } from "./TaintToleration.ts"

/** A topology spread constraint, prepared for counting. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  /** With fewer eligible domains than this, the global minimum counts as 0. */
  readonly minDomains: number
  /** Selects the pods that are counted. */
  readonly selection: LabelSelection
  /** Whether only nodes count that the pod's node affinity matches: nodeAffinityPolicy. */
  readonly honorsAffinity: boolean
  /** Whether only nodes count whose taints the pod tolerates: nodeTaintsPolicy. */
  readonly honorsTaints: boolean
}

/**
 * The selector of a constraint. One without labelSelector selects by the values of matchLabelKeys alone; if the pod has
 * none of those keys, it selects nothing.
 */
const selectorFor = ({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, { labels }: PodInfo) =>
  labelSelector === undefined && matchLabelKeys.some((key) => labels[key] !== undefined)
    ? withLabelKeys({}, labels, matchLabelKeys)
    : withLabelKeys(labelSelector, labels, matchLabelKeys)

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
 * A constraint for pods without constraints of their own. It has no selector: that comes from the pod's Services and
 * owner.
 */
export type DefaultConstraint = Pick<TopologySpreadConstraint, "topologyKey" | "maxSkew" | "whenUnsatisfiable">

/** The constraints for pods without constraints of their own. Upstream: PodTopologySpreadArgs. */
export interface SpreadDefaults {
  readonly constraints: ReadonlyArray<DefaultConstraint>
  /** Whether nodes that lack the key of a default constraint score 0. The system's default constraints score them. */
  readonly needAllKeys: boolean
}

/** The defaults of defaultingType System. Upstream: podtopologyspread/plugin.go systemDefaultConstraints. */
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

/**
 * The classes of the pods that a constraint counts. As upstream, an empty selector counts no existing pods, though the
 * incoming pod matches it.
 */
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

/**
 * Returns a function that says whether a node's pods count, by the constraint's nodeAffinityPolicy and
 * nodeTaintsPolicy.
 */
export const inclusionOf = (pod: PodInfo): ((constraint: SpreadConstraint, node: NodeInfo) => boolean) => {
  const affinity = requiredNodes(pod.pod.spec)
  return ({ honorsAffinity, honorsTaints }, { node, taintSet }) => {
    if (node === undefined) return false
    if (honorsAffinity && affinity !== undefined && !affinity(node)) return false
    return (
      !honorsTaints || findUntoleratedTaint(taintSet.taints, pod.tolerations, isNoScheduleOrNoExecute) === undefined
    )
  }
}
