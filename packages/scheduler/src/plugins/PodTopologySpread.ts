import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import type { Topology } from "../cache/Topology.ts"
import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import {
  constraintsFor,
  countedClasses,
  inclusionOf,
  type SpreadConstraint,
  type SpreadDefaults,
  systemDefaults
} from "./spreadConstraints.ts"
import { spreadHint } from "./spreadHint.ts"

const name = "PodTopologySpread"

const missingLabel: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"]
}

const tooSkewed: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node(s) didn't match pod topology spread constraints"]
}

/** The matching pods of a constraint. */
interface ConstraintCounts {
  readonly topology: Topology
  /** Number of matching pods by domain; 0 for a domain without an eligible node. */
  readonly counts: Int32Array
  /** The number up to which a domain may have matching pods before this pod is added. */
  readonly limit: number
}

const hasAllKeys = (topologies: ReadonlyArray<Topology>, { position }: NodeInfo): boolean =>
  topologies.every(({ domains }) => (domains[position] ?? -1) >= 0)

/** Counts the matching pods on eligible nodes. Upstream: filtering.go calPreFilterState. */
const countMatching = (
  constraint: SpreadConstraint,
  eligible: (node: NodeInfo) => boolean,
  pod: PodInfo,
  cache: SchedulingCache
): ConstraintCounts => {
  const topology = cache.topology(constraint.topologyKey)
  const { domains, size } = topology
  const counts = new Int32Array(size)
  const isDomain = new Uint8Array(size)
  for (const node of cache.nodes()) if (eligible(node)) isDomain[domains[node.position] ?? -1] = 1
  for (const podClass of countedClasses(constraint, pod, cache)) {
    for (const [node, { live }] of podClass.nodes) {
      if (!eligible(node)) continue
      const domain = domains[node.position] ?? -1
      counts[domain] = (counts[domain] ?? 0) + live
    }
  }
  let domainCount = 0
  let least = Number.POSITIVE_INFINITY
  for (let domain = 0; domain < size; domain++) {
    if (isDomain[domain] === 0) continue
    domainCount++
    least = Math.min(least, counts[domain] ?? 0)
  }
  // With too few domains, the global minimum counts as 0.
  const minMatch = domainCount < constraint.minDomains ? 0 : least
  const self = constraint.selection.matches(pod.labels) ? 1 : 0
  return { topology, counts, limit: constraint.maxSkew + minMatch - self }
}

/**
 * Filters by the constraints with DoNotSchedule. Upstream:
 * pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
 */
export const podTopologySpreadWith = (defaults: SpreadDefaults): FilterPlugin => ({
  name,
  prepare: (pod, cache) => {
    const constraints = constraintsFor(pod, "DoNotSchedule", cache, defaults)
    if (constraints.length === 0) return skip
    const topologies = constraints.map(({ topologyKey }) => cache.topology(topologyKey))
    const isIncluded = inclusionOf(pod)
    const counts = constraints.map((constraint) =>
      countMatching(constraint, (node) => hasAllKeys(topologies, node) && isIncluded(constraint, node), pod, cache)
    )
    return {
      _tag: "Check",
      check: ({ position }) => {
        for (const { counts: podsIn, limit, topology } of counts) {
          const domain = topology.domains[position] ?? -1
          if (domain < 0) return missingLabel
          if ((podsIn[domain] ?? 0) > limit) return tooSkewed
        }
        return undefined
      }
    }
  },
  hint: (pod, event, cache) => spreadHint(constraintsFor(pod, "DoNotSchedule", cache, defaults), pod, event)
})

/** PodTopologySpread as a filter, with the default constraints of the system. */
export const podTopologySpread: FilterPlugin = podTopologySpreadWith(systemDefaults)
