import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "@rollcall/api"
import { narrowed, selectionOf } from "./LabelSelection.ts"

type Labels = Readonly<Record<string, string>>

/** The labels of a namespace; empty if it is not known. */
export type NamespaceLabels = (namespace: string) => Labels

/**
 * One inter-pod affinity term, prepared for matching. Upstream: staging/src/k8s.io/kube-scheduler/framework
 * AffinityTerm.
 */
export interface AffinityTerm {
  readonly topologyKey: string
  /** Identifies the set of pods that the term matches. */
  readonly key: string
  readonly matches: (namespace: string, labels: Labels, namespaceLabels: NamespaceLabels) => boolean
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number
}

export interface AffinityTerms {
  readonly required: ReadonlyArray<AffinityTerm>
  readonly requiredAnti: ReadonlyArray<AffinityTerm>
  readonly preferred: ReadonlyArray<WeightedTerm>
  readonly preferredAnti: ReadonlyArray<WeightedTerm>
}

const termOf = (pod: Pod, term: PodAffinityTerm): AffinityTerm => {
  const labels = pod.metadata.labels ?? {}
  const own = term.namespaces === undefined || term.namespaces.length === 0
  const namespaces = new Set(
    own && term.namespaceSelector === undefined ? [pod.metadata.namespace ?? "default"] : (term.namespaces ?? [])
  )
  const inNamespace = selectionOf(term.namespaceSelector)
  const selection = selectionOf(narrowed(term.labelSelector, labels, term.matchLabelKeys, term.mismatchLabelKeys))
  return {
    topologyKey: term.topologyKey,
    key: JSON.stringify(["term", [...namespaces].sort(), inNamespace.key, selection.key]),
    matches: (namespace, podLabels, namespaceLabels) =>
      (namespaces.has(namespace) || inNamespace.selectsAll || inNamespace.matches(namespaceLabels(namespace))) &&
      selection.matches(podLabels)
  }
}

const weighted = (pod: Pod, terms: ReadonlyArray<WeightedPodAffinityTerm> = []): ReadonlyArray<WeightedTerm> =>
  terms.map(({ podAffinityTerm, weight }) => ({ ...termOf(pod, podAffinityTerm), weight }))

/** The pod's inter-pod affinity; undefined when it has none. */
export const affinityTermsOf = (pod: Pod): AffinityTerms | undefined => {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined
  return {
    required: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => termOf(pod, term)),
    requiredAnti: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      termOf(pod, term)
    ),
    preferred: weighted(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: weighted(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution)
  }
}
