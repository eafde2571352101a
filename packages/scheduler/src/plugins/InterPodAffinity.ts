import type { Pod } from "@rollcall/api"
import { type AffinityTerm, affinityTermsOf } from "../cache/AffinityTerms.ts"
import type { NodeInfo, PodClass, PodInfo } from "../cache/CacheRecords.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"
import { type FilterPlugin, type NodeCheck, type Rejection, skip } from "../Plugin.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "InterPodAffinity"

const noAffinity: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match pod affinity rules"]
}

const antiAffinity: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node(s) didn't match pod anti-affinity rules"]
}

const existingAntiAffinity: Rejection = {
  code: "Unschedulable",
  plugin: name,
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"]
}

/** Sets of domains, by topology key. */
class Domains {
  /** 1 for each domain in the set, by the number of the domain. */
  private readonly marks = new Map<string, Uint8Array>()
  private readonly cache: SchedulingCache

  constructor(cache: SchedulingCache) {
    this.cache = cache
  }

  get isEmpty(): boolean {
    return this.marks.size === 0
  }

  /** Adds the domains of all nodes that have pods of the class, including terminating ones. */
  add(topologyKey: string, podClass: PodClass): void {
    const { domains, size } = this.cache.topology(topologyKey)
    for (const node of podClass.nodes.keys()) {
      const domain = domains[node.position] ?? -1
      if (domain < 0) continue
      const marks = this.marks.get(topologyKey) ?? new Uint8Array(size)
      marks[domain] = 1
      this.marks.set(topologyKey, marks)
    }
  }

  has(topologyKey: string, { position }: NodeInfo): boolean {
    const marks = this.marks.get(topologyKey)
    if (marks === undefined) return false
    const domain = this.cache.topology(topologyKey).domains[position] ?? -1
    return domain >= 0 && marks[domain] === 1
  }

  /** Whether the node is in a domain of any topology key. */
  hasAny(node: NodeInfo): boolean {
    for (const topologyKey of this.marks.keys()) if (this.has(topologyKey, node)) return true
    return false
  }
}

/** Classes of pods that all terms match. */
const classesMatchingAll = (terms: ReadonlyArray<AffinityTerm>, cache: SchedulingCache): ReadonlySet<PodClass> =>
  cache.classes.matching(terms.map(({ key }) => key).join(" & "), ({ labels, namespace }) =>
    terms.every((term) => term.matches(namespace, labels, cache.labelsOfNamespace))
  )

/** The domains in which a pod runs whose required anti-affinity matches this pod. */
const domainsThatAvoid = (pod: PodInfo, cache: SchedulingCache): Domains => {
  const domains = new Domains(cache)
  for (const podClass of cache.classes.withTerms) {
    for (const term of podClass.terms?.requiredAnti ?? []) {
      if (term.matches(pod.namespace, pod.labels, cache.labelsOfNamespace)) domains.add(term.topologyKey, podClass)
    }
  }
  return domains
}

/**
 * Prepares the check of required affinity: a pod that all terms match must run in the domain of each term. If there is
 * no such pod at all, and the pod matches its own terms, it is the first of its group and may run on each node that has
 * the labels.
 */
const affinityCheck = (
  terms: ReadonlyArray<AffinityTerm>,
  pod: PodInfo,
  cache: SchedulingCache
): ((node: NodeInfo) => boolean) => {
  if (terms.length === 0) return () => true
  const matching = new Domains(cache)
  for (const podClass of classesMatchingAll(terms, cache)) {
    for (const { topologyKey } of terms) matching.add(topologyKey, podClass)
  }
  const isFirst =
    matching.isEmpty && terms.every((term) => term.matches(pod.namespace, pod.labels, cache.labelsOfNamespace))
  return (node) =>
    terms.every(({ topologyKey }) => node.labels[topologyKey] !== undefined) &&
    (isFirst || terms.every(({ topologyKey }) => matching.has(topologyKey, node)))
}

const matchesPod = (term: AffinityTerm, { metadata }: Pod, cache: SchedulingCache): boolean =>
  term.matches(metadata.namespace ?? "default", metadata.labels ?? {}, cache.labelsOfNamespace)

const isOnNode = ({ spec }: Pod): boolean => (spec.nodeName ?? "") !== ""

/**
 * Filters by required affinity and anti-affinity between pods. Upstream:
 * pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
 */
export const interPodAffinity: FilterPlugin = {
  name,
  prepare: (pod, cache) => {
    const { required = [], requiredAnti = [] } = pod.podClass.terms ?? {}
    const avoiding = domainsThatAvoid(pod, cache)
    if (avoiding.isEmpty && required.length === 0 && requiredAnti.length === 0) return skip
    const satisfiesAffinity = affinityCheck(required, pod, cache)
    const avoided = new Domains(cache)
    for (const term of requiredAnti) {
      for (const podClass of classesMatchingAll([term], cache)) avoided.add(term.topologyKey, podClass)
    }
    const check: NodeCheck = (node) => {
      if (!satisfiesAffinity(node)) return noAffinity
      if (avoided.hasAny(node)) return antiAffinity
      return avoiding.hasAny(node) ? existingAntiAffinity : undefined
    }
    return { _tag: "Check", check }
  },
  hint: orTaintChange((pod, event, cache) => {
    const { required = [], requiredAnti = [] } = pod.podClass.terms ?? {}
    const satisfiesTerms = (other: Pod) =>
      required.length > 0 && required.every((term) => matchesPod(term, other, cache))
    const violatesAntiAffinity = (other: Pod) =>
      requiredAnti.some((term) => matchesPod(term, other, cache)) ||
      (affinityTermsOf(other)?.requiredAnti.some((term) => matchesPod(term, pod.pod, cache)) ?? false)
    switch (event._tag) {
      case "NodeAdded":
        return true
      case "NodeUpdated":
        return event.change.labels
      case "AssignedPodAdded":
        return satisfiesTerms(event.pod)
      case "AssignedPodDeleted":
        return isOnNode(event.pod) && violatesAntiAffinity(event.pod)
      case "AssignedPodUpdated":
        return (
          (satisfiesTerms(event.pod) && !satisfiesTerms(event.before)) ||
          (violatesAntiAffinity(event.before) && !violatesAntiAffinity(event.pod))
        )
      // Its old labels may have violated other pods' anti-affinity.
      case "UnscheduledPodUpdated":
        return event.change.relabelled
      default:
        return false
    }
  })
}
