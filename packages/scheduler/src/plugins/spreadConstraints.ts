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

/** A topology spread constraint, ready to count by. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly selection: LabelSelection
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
}

const constraintOf = (constraint: TopologySpreadConstraint, pod: PodInfo): SpreadConstraint => ({
  topologyKey: constraint.topologyKey,
  maxSkew: constraint.maxSkew,
  minDomains: constraint.minDomains ?? 1,
  selection: selectionOf(narrowed(constraint.labelSelector, pod.labels, constraint.matchLabelKeys)),
  honorsAffinity: constraint.nodeAffinityPolicy !== "Ignore",
  honorsTaints: constraint.nodeTaintsPolicy === "Honor"
})

/** The pod's own constraints of one kind. */
export const ownConstraints = (
  pod: PodInfo,
  whenUnsatisfiable: TopologySpreadConstraint["whenUnsatisfiable"]
): ReadonlyArray<SpreadConstraint> =>
  (pod.pod.spec.topologySpreadConstraints ?? [])
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => constraintOf(constraint, pod))

const systemDefaults = [
  { topologyKey: labelHostname, maxSkew: 3 },
  { topologyKey: labelZone, maxSkew: 5 }
]

/**
 * What spreads the pods of a Service, ReplicaSet or StatefulSet that say nothing about it. Soft ones only.
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread/plugin.go systemDefaultConstraints.
 */
export const defaultConstraints = (pod: PodInfo, cache: SchedulingCache): ReadonlyArray<SpreadConstraint> => {
  const selection = cache.workloads.siblingsOf(pod.pod)
  if (selection === undefined) return []
  return systemDefaults.map((constraint) => ({
    ...constraint,
    minDomains: 1,
    selection,
    honorsAffinity: true,
    honorsTaints: false
  }))
}

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

/** Whether a node's pods count at all, by the constraint's inclusion policies. */
export const inclusionOf = (pod: PodInfo): ((constraint: SpreadConstraint, node: NodeInfo) => boolean) => {
  const affinity = requiredNodes(pod.pod.spec)
  return ({ honorsAffinity, honorsTaints }, { node, taintSet }) => {
    if (node === undefined) return false
    if (honorsAffinity && affinity !== undefined && !affinity(node)) return false
    return !honorsTaints || findUntoleratedTaint(taintSet.taints, pod.tolerations, keepsAway) === undefined
  }
}
