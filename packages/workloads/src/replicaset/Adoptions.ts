import { keyOf, matchesLabelSelector, type Pod, type ReplicaSet } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { type PodsByOwner, podKey } from "./PodsByOwner.ts"

/** Orphaned pods that sets select and have not checked yet, so that a sync does not have to check all orphans. */
export class Adoptions {
  private readonly offers = new Map<string, Map<string, Pod>>()

  offer(replicaSet: ReplicaSet, pod: Pod): void {
    const key = keyOf(replicaSet)
    const pods = this.offers.get(key) ?? new Map<string, Pod>()
    this.offers.set(key, pods)
    pods.set(podKey(pod), pod)
  }

  /** For a new set, or a set with a new selector. */
  offerAll(replicaSet: ReplicaSet, pods: PodsByOwner): void {
    for (const pod of pods.orphansIn(replicaSet.metadata.namespace ?? "default")) {
      if (matchesLabelSelector(replicaSet.spec.selector, pod.metadata.labels)) this.offer(replicaSet, pod)
    }
  }

  /** The pods to adopt now; they are only offered again when they change. */
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
