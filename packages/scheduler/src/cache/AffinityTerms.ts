import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "@rollcall/api"
import { selectionOf, withLabelKeys } from "./LabelSelection.ts"

type Labels = Readonly<Record<string, string>>

/** Returns the labels of a namespace; empty if the namespace is unknown. */
export type NamespaceLabels = (namespace: string) => Labels

/**
 * One inter-pod affinity term, prepared for matching. Upstream: staging/src/k8s.io/kube-scheduler/framework
 * AffinityTerm.
 */
export interface AffinityTerm {
  readonly topologyKey: string
  /** Terms with equal keys match the same pods; the topology key is not part of it. */
  readonly key: string
  readonly matches: (namespace: string, labels: Labels, namespaceLabels: NamespaceLabels) => boolean
}

/** A preferred term. */
export interface WeightedTerm extends AffinityTerm {
  readonly weight: number
}

/** The inter-pod affinity and anti-affinity of a pod. */
export interface AffinityTerms {
  readonly required: ReadonlyArray<AffinityTerm>
  readonly requiredAnti: ReadonlyArray<AffinityTerm>
  readonly preferred: ReadonlyArray<WeightedTerm>
  readonly preferredAnti: ReadonlyArray<WeightedTerm>
}

const termOf = (pod: Pod, term: PodAffinityTerm): AffinityTerm => {
  const labels = pod.metadata.labels ?? {}
  const hasNoNamespaces = term.namespaces === undefined || term.namespaces.length === 0
  const namespaces = new Set(
    hasNoNamespaces && term.namespaceSelector === undefined
      ? [pod.metadata.namespace ?? "default"]
      : (term.namespaces ?? [])
  )
  const inNamespace = selectionOf(term.namespaceSelector)
  const selection = selectionOf(withLabelKeys(term.labelSelector, labels, term.matchLabelKeys, term.mismatchLabelKeys))
  return {
    topologyKey: term.topologyKey,
    key: JSON.stringify(["term", [...namespaces].sort(), inNamespace.key, selection.key]),
    matches: (namespace, podLabels, namespaceLabels) =>
      (namespaces.has(namespace) || inNamespace.selectsAll || inNamespace.matches(namespaceLabels(namespace))) &&
      selection.matches(podLabels)
  }
}

const weightedTerms = (pod: Pod, terms: ReadonlyArray<WeightedPodAffinityTerm> = []): ReadonlyArray<WeightedTerm> =>
  terms.map(({ podAffinityTerm, weight }) => ({ ...termOf(pod, podAffinityTerm), weight }))

/** The pod's inter-pod affinity; undefined if it has none. */
export const affinityTermsOf = (pod: Pod): AffinityTerms | undefined => {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined
  return {
    required: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => termOf(pod, term)),
    requiredAnti: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      termOf(pod, term)
    ),
    preferred: weightedTerms(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: weightedTerms(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution)
  }
}
