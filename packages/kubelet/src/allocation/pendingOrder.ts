import type { Pod, PodCondition } from "@rollcall/api"

/** A pod whose resize is pending, as far as the order depends on it. */
export interface PendingResize {
  readonly pod: Pod
  /** Whether it asks for more CPU or memory than it has. */
  readonly increases: boolean
  readonly qosClass: string
  readonly pending: PodCondition | undefined
}

/**
 * Whether the first of two is retried before the second: what frees resources, then by priority, Guaranteed pods, and
 * what has been deferred for the longest time. Upstream: pkg/kubelet/allocation/allocation_manager.go
 * sortPendingResizes.
 */
const isBefore = (left: PendingResize, right: PendingResize): boolean => {
  if (!left.increases) return true
  if (!right.increases) return false
  const [priority, other] = [left.pod.spec.priority ?? 0, right.pod.spec.priority ?? 0]
  if (priority !== other) return priority > other
  const [guaranteed, otherGuaranteed] = [left.qosClass === "Guaranteed", right.qosClass === "Guaranteed"]
  if (guaranteed !== otherGuaranteed) return guaranteed
  const [since, otherSince] = [left.pending?.lastTransitionTime, right.pending?.lastTransitionTime]
  if (since === undefined) return false
  return otherSince === undefined || since < otherSince
}

/** Sorts as upstream does, by insertion: the list is sorted already, except for its last item. */
export const sortPending = <A>(items: ReadonlyArray<A>, view: (item: A) => PendingResize): ReadonlyArray<A> => {
  const sorted = items.map((item) => ({ item, view: view(item) }))
  for (let from = 1; from < sorted.length; from++) {
    for (let at = from; at > 0; at--) {
      const [left, right] = [sorted[at - 1], sorted[at]]
      if (left === undefined || right === undefined || !isBefore(right.view, left.view)) break
      sorted[at - 1] = right
      sorted[at] = left
    }
  }
  return sorted.map(({ item }) => item)
}
