import { keyOf, matchesLabelSelector, type Pod, type ReplicaSet } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { type PodsByOwner, podKey } from "./PodsByOwner.ts"

/**
 * Orphaned pods that a set selects, and that it has not tried to adopt yet, by set. With it, a sync does not have to
 * look at all orphans of the namespace.
 */
export class Adoptions {
  private readonly offers = new Map<string, Map<string, Pod>>()

  /** Offers an orphan to a set that selects it. */
  offer(replicaSet: ReplicaSet, pod: Pod): void {
    const key = keyOf(replicaSet)
    const pods = this.offers.get(key) ?? new Map<string, Pod>()
    this.offers.set(key, pods)
    pods.set(podKey(pod), pod)
  }

  /** Offers all orphans that a set selects. Must be called for a new set, or one with a new selector. */
  offerAll(replicaSet: ReplicaSet, pods: PodsByOwner): void {
    for (const pod of pods.orphansIn(replicaSet.metadata.namespace ?? "default")) {
      if (matchesLabelSelector(replicaSet.spec.selector, pod.metadata.labels)) this.offer(replicaSet, pod)
    }
  }

  /** Returns, and removes, the pods that the set must adopt now. They are only offered again when they change. */
  take(replicaSet: ReplicaSet): ReadonlyArray<Pod> {
    const key = keyOf(replicaSet)
    const pods = this.offers.get(key)
    if (pods === undefined) return []
    this.offers.delete(key)
    return [...pods.values()].filter(isPodActive)
  }

  forget(replicaSet: ReplicaSet): void {
    this.offers.delete(keyOf(replicaSet))
  }
}
