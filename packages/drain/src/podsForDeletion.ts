import { matchesLabelSelector, type Pod, type Selector } from "@rollcall/api"
import { type FilterContext, filterPod, type PodVerdict } from "./PodFilters.ts"

export interface FilteredPod {
  readonly pod: Pod
  readonly verdict: PodVerdict
}

/** What a drain of a node would do with each of its pods. */
export interface PodsForDeletion {
  /** All pods that were filtered, in the order of the list. */
  readonly pods: ReadonlyArray<FilteredPod>
  /** The pods to evict or delete. */
  readonly evict: ReadonlyArray<Pod>
  /** Why the drain may not start, in order. Nothing is evicted while there are any. */
  readonly errors: ReadonlyArray<string>
  /** Warnings for the user, in order. */
  readonly warnings: ReadonlyArray<string>
}

export interface PodsContext extends FilterContext {
  /** Pods that it does not select are left alone. */
  readonly podSelector?: Selector
}

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

/** One text for each message, with all pods that it applies to. */
const byMessage = (pods: ReadonlyArray<FilteredPod>, reason: PodVerdict["reason"]): ReadonlyArray<string> => {
  const names = new Map<string, Array<string>>()
  for (const { pod, verdict } of pods) {
    if (verdict.reason !== reason) continue
    const message = verdict.message || "unexpected error"
    names.set(message, [...(names.get(message) ?? []), nameOf(pod)])
  }
  return [...names].map(([message, of]) => `${message}: ${of.join(", ")}`).toSorted()
}

/**
 * Runs the filters on the pods of a node. Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go, GetPodsForDeletion.
 */
export const podsForDeletion = (pods: ReadonlyArray<Pod>, context: PodsContext): PodsForDeletion => {
  const { podSelector } = context
  const judged = pods
    .filter(({ metadata }) => podSelector === undefined || matchesLabelSelector(podSelector, metadata.labels))
    .map((pod) => ({ pod, verdict: filterPod(pod, context) }))
  return {
    pods: judged,
    evict: judged.filter(({ verdict }) => verdict.delete).map(({ pod }) => pod),
    errors: byMessage(judged, "Error").map((text) => `cannot delete ${text}`),
    warnings: byMessage(judged, "Warning")
  }
}
