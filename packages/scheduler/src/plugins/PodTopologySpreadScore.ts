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

/**
 * Adds, to the sum of each node, the number of the constraint's pods in its domain, weighted so that constraints with
 * few and with many domains count alike. `ignored` is 1 for nodes that are not scored, by the index in `nodes`.
 */
const addCounts = (
  constraint: SpreadConstraint,
  nodes: ReadonlyArray<NodeInfo>,
  ignored: Uint8Array,
  eligible: Eligible,
  pod: PodInfo,
  cache: SchedulingCache,
  sums: Float64Array
): void => {
  const isPerNode = constraint.topologyKey === labelHostname
  const { domains, size } = cache.topology(constraint.topologyKey)
  const counts = new Int32Array(isPerNode ? domains.length : size)
  let domainCount = 0
  const isDomain = new Uint8Array(size + 1)
  for (let index = 0; index < nodes.length; index++) {
    if (ignored[index] === 1) continue
    // As upstream: under the system's defaults, all nodes without the key count as one domain here, and only here.
    const domain = domains[nodes[index]?.position ?? -1] ?? -1
    const slot = domain < 0 ? size : domain
    if (isPerNode) domainCount++
    else if (isDomain[slot] === 0) {
      isDomain[slot] = 1
      domainCount++
    }
  }
  for (const podClass of countedClasses(constraint, pod, cache)) {
    podClass.nodes.forEach(({ live }, node) => {
      const slot = isPerNode ? node.position : (domains[node.position] ?? -1)
      if (slot < 0 || (!isPerNode && !eligible(node))) return
      counts[slot] = (counts[slot] ?? 0) + live
    })
  }
  // Upstream: topologyNormalizingWeight.
  const weight = Math.log(domainCount + 2)
  for (let index = 0; index < nodes.length; index++) {
    const position = nodes[index]?.position ?? -1
    const domain = domains[position] ?? -1
    if (domain < 0) continue
    const count = counts[isPerNode ? position : domain] ?? 0
    sums[index] = (sums[index] ?? 0) + count * weight + (constraint.maxSkew - 1)
  }
}

/** Turns sums into scores: the lower the sum, the higher the score, up to 100; 0 for ignored nodes. */
const fillScores = (sums: Float64Array, ignored: Uint8Array, scores: Array<number>): void => {
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
 * Scores by the constraints with ScheduleAnyway: the pod's own, or else the default ones.
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
 */
export const podTopologySpreadScoreWith = (defaults: SpreadDefaults): ScorePlugin => ({
  name: "PodTopologySpread",
  weight: 2,
  score: (pod, nodes, cache, scores) => {
    const constraints = constraintsFor(pod, "ScheduleAnyway", cache, defaults)
    if (constraints.length === 0) return false
    const needsAllKeys = defaults.needAllKeys || hasOwnConstraints(pod)
    const hasAllKeys: Eligible = ({ labels }) =>
      !needsAllKeys || constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined)
    const ignored = needsAllKeys
      ? Uint8Array.from(nodes, (node) => (hasAllKeys(node) ? 0 : 1))
      : new Uint8Array(nodes.length)
    const isIncluded = inclusionOf(pod)
    const sums = new Float64Array(nodes.length)
    for (const constraint of constraints) {
      const eligible: Eligible = (node) => hasAllKeys(node) && isIncluded(constraint, node)
      addCounts(constraint, nodes, ignored, eligible, pod, cache, sums)
    }
    fillScores(sums, ignored, scores)
    return true
  }
})

/** PodTopologySpread as a score, with the default constraints of the system. */
export const podTopologySpreadScore: ScorePlugin = podTopologySpreadScoreWith(systemDefaults)
