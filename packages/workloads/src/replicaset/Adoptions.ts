import { keyOf, matchesLabelSelector, type Pod, type ReplicaSet } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { type PodsByOwner, podKey } from "./PodsByOwner.ts"

/**
 * Orphaned pods that a set selects, and that it has not tried to adopt yet, by set. With it, a sync does not have to
 * look at all orphans of the namespace.
 */
export class Adoptions {
  private readonly candidates = new Map<string, Map<string, Pod>>()

  /** Adds an orphan that the set selects. */
  addCandidate(replicaSet: ReplicaSet, pod: Pod): void {
    const key = keyOf(replicaSet)
    const pods = this.candidates.get(key) ?? new Map<string, Pod>()
    this.candidates.set(key, pods)
    pods.set(podKey(pod), pod)
  }

  /** Adds all orphans that a set selects. Must be called for a new set, or one with a new selector. */
  addCandidates(replicaSet: ReplicaSet, pods: PodsByOwner): void {
    for (const pod of pods.orphansIn(replicaSet.metadata.namespace ?? "default")) {
      if (matchesLabelSelector(replicaSet.spec.selector, pod.metadata.labels)) this.addCandidate(replicaSet, pod)
    }
  }

  /** Returns, and removes, the pods that the set must adopt now. They are added again when they change. */
  takeCandidates(replicaSet: ReplicaSet): ReadonlyArray<Pod> {
    const key = keyOf(replicaSet)
    const pods = this.candidates.get(key)
    if (pods === undefined) return []
    this.candidates.delete(key)
    return [...pods.values()].filter(isPodActive)
  }

  forget(replicaSet: ReplicaSet): void {
    this.candidates.delete(keyOf(replicaSet))
  }
}
