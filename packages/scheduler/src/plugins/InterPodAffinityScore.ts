import type { WeightedTerm } from "../cache/AffinityTerms.ts"
import type { PodClass, PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { MAX_NODE_SCORE, type ScorePlugin } from "../Plugin.ts"

/** The arguments of the plugin. Upstream: InterPodAffinityArgs. */
export interface InterPodAffinityArgs {
  /** The weight of existing pods' *required* affinity for the incoming pod; 0 ignores it. */
  readonly hardPodAffinityWeight: number
  /** Whether preferred terms of existing pods only count for pods that have preferred terms themselves. */
  readonly ignorePreferredTermsOfExistingPods: boolean
}

export const defaultInterPodAffinityArgs: InterPodAffinityArgs = {
  hardPodAffinityWeight: 1,
  ignorePreferredTermsOfExistingPods: false
}

/** Sums of weights by topology key, then by the number of the domain. */
type Weights = Map<string, Float64Array>

/** Adds the weight of a term, for each pod of the class, to the domains of these pods. */
const addWeight = (
  weights: Weights,
  topologyKey: string,
  weight: number,
  podClass: PodClass,
  cache: SchedulingCache
): void => {
  const { domains, size } = cache.topology(topologyKey)
  for (const [node, { all }] of podClass.nodes) {
    const domain = domains[node.position] ?? -1
    if (domain < 0) continue
    const sums = weights.get(topologyKey) ?? new Float64Array(size)
    sums[domain] = (sums[domain] ?? 0) + weight * all
    weights.set(topologyKey, sums)
  }
}

/** Adds the incoming pod's preferred terms, for the pods that they match. */
const addOwnTerms = (
  weights: Weights,
  terms: ReadonlyArray<WeightedTerm>,
  sign: 1 | -1,
  cache: SchedulingCache
): void => {
  for (const term of terms) {
    const matching = cache.classes.matching(term.key, ({ labels, namespace }) =>
      term.matches(namespace, labels, cache.labelsOfNamespace)
    )
    for (const podClass of matching) addWeight(weights, term.topologyKey, sign * term.weight, podClass, cache)
  }
}

/** Adds the terms of existing pods that match the incoming pod. */
const addExistingTerms = (weights: Weights, pod: PodInfo, cache: SchedulingCache, hardWeight: number): void => {
  const { labels, namespace } = pod
  for (const podClass of cache.classes.withTerms) {
    const { preferred = [], preferredAnti = [], required = [] } = podClass.terms ?? {}
    for (const term of hardWeight > 0 ? required : []) {
      if (term.matches(namespace, labels, cache.labelsOfNamespace)) {
        addWeight(weights, term.topologyKey, hardWeight, podClass, cache)
      }
    }
    for (const term of preferred) {
      if (term.matches(namespace, labels, cache.labelsOfNamespace)) {
        addWeight(weights, term.topologyKey, term.weight, podClass, cache)
      }
    }
    for (const term of preferredAnti) {
      if (term.matches(namespace, labels, cache.labelsOfNamespace)) {
        addWeight(weights, term.topologyKey, -term.weight, podClass, cache)
      }
    }
  }
}

/**
 * Scores by preferred affinity and anti-affinity: of the incoming pod and of existing ones. Upstream:
 * pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
 */
export const interPodAffinityScoreWith = ({
  hardPodAffinityWeight,
  ignorePreferredTermsOfExistingPods
}: InterPodAffinityArgs): ScorePlugin => ({
  name: "InterPodAffinity",
  weight: 2,
  score: (pod, nodes, cache, scores) => {
    const { preferred = [], preferredAnti = [] } = pod.podClass.terms ?? {}
    if (ignorePreferredTermsOfExistingPods && preferred.length + preferredAnti.length === 0) return false
    const weights: Weights = new Map()
    addOwnTerms(weights, preferred, 1, cache)
    addOwnTerms(weights, preferredAnti, -1, cache)
    addExistingTerms(weights, pod, cache, hardPodAffinityWeight)
    if (weights.size === 0) return false
    const byKey = [...weights].map(([key, sums]) => ({ domains: cache.topology(key).domains, sums }))
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    for (let index = 0; index < nodes.length; index++) {
      let sum = 0
      for (const { domains, sums } of byKey) sum += sums[domains[nodes[index]?.position ?? -1] ?? -1] ?? 0
      scores[index] = sum
      if (sum < least) least = sum
      if (sum > most) most = sum
    }
    const range = most - least
    for (let index = 0; index < nodes.length; index++) {
      scores[index] = range > 0 ? Math.trunc(MAX_NODE_SCORE * (((scores[index] ?? 0) - least) / range)) : 0
    }
    return true
  }
})

/** InterPodAffinity as a score, with default arguments. */
export const interPodAffinityScore: ScorePlugin = interPodAffinityScoreWith(defaultInterPodAffinityArgs)
