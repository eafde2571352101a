import { labelHostname } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { MAX_NODE_SCORE, type ScorePlugin } from "../Plugin.ts"
import {
  constraintsFor,
  countedClasses,
  hasOwnConstraints,
  inclusionOf,
  type SpreadConstraint,
  type SpreadDefaults,
  systemDefaults
} from "./spreadConstraints.ts"

type Eligible = (node: NodeInfo) => boolean

/** Adds to each node's score the contribution of the constraint's pods in its domain. */
const addCounts = (
  constraint: SpreadConstraint,
  nodes: ReadonlyArray<NodeInfo>,
  ignored: Uint8Array,
  eligible: Eligible,
  pod: PodInfo,
  cache: SchedulingCache,
  sums: Float64Array
): void => {
  const perNode = constraint.topologyKey === labelHostname
  const { domains, size } = cache.topology(constraint.topologyKey)
  const counts = new Int32Array(perNode ? domains.length : size)
  let found = 0
  const isDomain = new Uint8Array(size + 1)
  for (let index = 0; index < nodes.length; index++) {
    if (ignored[index] === 1) continue
    // Under the system's defaults, nodes without the key form one domain in this count, and only here.
    const domain = domains[nodes[index]?.position ?? -1] ?? -1
    const slot = domain < 0 ? size : domain
    if (perNode) found++
    else if (isDomain[slot] === 0) {
      isDomain[slot] = 1
      found++
    }
  }
  for (const podClass of countedClasses(constraint, pod, cache)) {
    for (const [node, { live }] of podClass.nodes) {
      const slot = perNode ? node.position : (domains[node.position] ?? -1)
      if (slot < 0 || (!perNode && !eligible(node))) continue
      counts[slot] = (counts[slot] ?? 0) + live
    }
  }
  const weight = Math.log(found + 2)
  for (let index = 0; index < nodes.length; index++) {
    const position = nodes[index]?.position ?? -1
    const domain = domains[position] ?? -1
    if (domain < 0) continue
    const count = counts[perNode ? position : domain] ?? 0
    sums[index] = (sums[index] ?? 0) + count * weight + (constraint.maxSkew - 1)
  }
}

/** Maps the fewest pods to 100; nodes that lack a key of the pod's own constraints to 0. */
const invert = (sums: Float64Array, ignored: Uint8Array, scores: Array<number>): void => {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let index = 0; index < sums.length; index++) {
    if (ignored[index] === 1) continue
    const sum = Math.round(sums[index] ?? 0)
    sums[index] = sum
    if (sum < least) least = sum
    if (sum > most) most = sum
  }
  for (let index = 0; index < sums.length; index++) {
    if (ignored[index] === 1) scores[index] = 0
    else if (most === 0) scores[index] = MAX_NODE_SCORE
    else scores[index] = Math.trunc((MAX_NODE_SCORE * (most + least - (sums[index] ?? 0))) / most)
  }
}

/**
 * Soft constraints, the pod's own or else the system's defaults.
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
 */
export const podTopologySpreadScoreWith = (defaults: SpreadDefaults): ScorePlugin => ({
  name: "PodTopologySpread",
  weight: 2,
  score: (pod, nodes, cache, scores) => {
    const constraints = constraintsFor(pod, "ScheduleAnyway", cache, defaults)
    if (constraints.length === 0) return false
    const needsAll = defaults.needAllKeys || hasOwnConstraints(pod)
    const hasAllKeys: Eligible = ({ labels }) =>
      !needsAll || constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined)
    const ignored = needsAll
      ? Uint8Array.from(nodes, (node) => (hasAllKeys(node) ? 0 : 1))
      : new Uint8Array(nodes.length)
    const included = inclusionOf(pod)
    const sums = new Float64Array(nodes.length)
    for (const constraint of constraints) {
      const eligible: Eligible = (node) => hasAllKeys(node) && included(constraint, node)
      addCounts(constraint, nodes, ignored, eligible, pod, cache, sums)
    }
    invert(sums, ignored, scores)
    return true
  }
})

/** PodTopologySpread as a score, with the default constraints of the system. */
export const podTopologySpreadScore: ScorePlugin = podTopologySpreadScoreWith(systemDefaults)
