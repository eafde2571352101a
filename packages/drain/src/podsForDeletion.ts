import { matchesLabelSelector, type Pod, type Selector } from "@rollcall/api"
import { type FilterContext, filterPod, type PodVerdict } from "./PodFilters.ts"

/** A pod of the node, and whether it is deleted. */
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
  /** Why the drain must not start; empty if it may. */
  readonly errors: ReadonlyArray<string>
  /** Warnings for the user about pods that are deleted or ignored. */
  readonly warnings: ReadonlyArray<string>
}

/** What decides which pods are deleted. */
export interface PodsContext extends FilterContext {
  /** Pods whose labels do not match are ignored; absent means that all match. */
  readonly podSelector?: Selector
}

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

/** One line for each message, with all pods that it applies to: `message: ns/a, ns/b`. The lines are sorted. */
const byMessage = (pods: ReadonlyArray<FilteredPod>, reason: PodVerdict["reason"]): ReadonlyArray<string> => {
  const podsByMessage = new Map<string, Array<string>>()
  for (const { pod, verdict } of pods) {
    if (verdict.reason !== reason) continue
    const message = verdict.message || "unexpected error"
    podsByMessage.set(message, [...(podsByMessage.get(message) ?? []), nameOf(pod)])
  }
  return [...podsByMessage].map(([message, names]) => `${message}: ${names.join(", ")}`).toSorted()
}

/**
 * Runs the filters on the pods of a node. Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go GetPodsForDeletion.
 */
export const podsForDeletion = (pods: ReadonlyArray<Pod>, context: PodsContext): PodsForDeletion => {
  const { podSelector } = context
  const filtered = pods
    .filter(({ metadata }) => podSelector === undefined || matchesLabelSelector(podSelector, metadata.labels))
    .map((pod) => ({ pod, verdict: filterPod(pod, context) }))
  return {
    pods: filtered,
    evict: filtered.filter(({ verdict }) => verdict.delete).map(({ pod }) => pod),
    errors: byMessage(filtered, "Error").map((text) => `cannot delete ${text}`),
    warnings: byMessage(filtered, "Warning")
  }
}
