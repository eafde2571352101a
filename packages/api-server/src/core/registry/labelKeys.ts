import type { Affinity, LabelSelector, Pod, PodAffinity, PodAffinityTerm, PodSpec } from "@rollcall/api"

/*
 * Merges `matchLabelKeys` and `mismatchLabelKeys` of a new pod into the selectors beside them, with the values of its own
 * labels. Upstream: pkg/registry/core/pod/strategy.go, mutatePodAffinity and mutateTopologySpreadConstraints.
 */

type Labels = Readonly<Record<string, string>>

interface Keyed {
  readonly labelSelector?: LabelSelector | undefined
  readonly matchLabelKeys?: ReadonlyArray<string> | undefined
  readonly mismatchLabelKeys?: ReadonlyArray<string> | undefined
}

/** Returns the item with its keys in its selector; the same item if it has no keys, or no selector, which matches nothing. */
const merged = <A extends Keyed>(item: A, labels: Labels): A => {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = item
  if (labelSelector === undefined || (matchLabelKeys.length === 0 && mismatchLabelKeys.length === 0)) return item
  const requirements = (keys: ReadonlyArray<string>, operator: "In" | "NotIn") =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]))
  const added = [...requirements(matchLabelKeys, "In"), ...requirements(mismatchLabelKeys, "NotIn")]
  if (added.length === 0) return item
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added]
  return { ...item, labelSelector: { ...labelSelector, matchExpressions } }
}

const mergedTerms = (affinity: PodAffinity, labels: Labels): PodAffinity => {
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = affinity
  const mergeTerm = (term: PodAffinityTerm) => merged(term, labels)
  return {
    ...affinity,
    ...(required && { requiredDuringSchedulingIgnoredDuringExecution: required.map(mergeTerm) }),
    ...(preferred && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map((weighted) =>
        weighted.podAffinityTerm === undefined
          ? weighted
          : { ...weighted, podAffinityTerm: mergeTerm(weighted.podAffinityTerm) }
      )
    })
  }
}

const mergedAffinity = (affinity: Affinity, labels: Labels): Affinity => ({
  ...affinity,
  ...(affinity.podAffinity && { podAffinity: mergedTerms(affinity.podAffinity, labels) }),
  ...(affinity.podAntiAffinity && { podAntiAffinity: mergedTerms(affinity.podAntiAffinity, labels) })
})

/** Returns the pod with its label keys merged; the same pod if it has neither pod affinity nor spread constraints. */
export const withLabelKeys = (pod: Pod): Pod => {
  const { affinity, topologySpreadConstraints: constraints } = pod.spec
  if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined && constraints === undefined) {
    return pod
  }
  const labels = pod.metadata.labels ?? {}
  const spec: PodSpec = {
    ...pod.spec,
    ...(affinity && { affinity: mergedAffinity(affinity, labels) }),
    ...(constraints && { topologySpreadConstraints: constraints.map((constraint) => merged(constraint, labels)) })
  }
  return { ...pod, spec }
}
