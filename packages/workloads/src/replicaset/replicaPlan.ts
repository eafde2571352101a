/** How a ReplicaSet changes the number of its pods. */
export type ReplicaPlan =
  | { readonly act: "nothing" }
  | { readonly act: "create"; readonly count: number }
  /** `podsToDelete` selects the pods. */
  | { readonly act: "delete"; readonly count: number }

/**
 * How many pods to create or to delete to reach the desired number of active ones, at most `burst` at a time.
 * Upstream: pkg/controller/replicaset/replica_set.go manageReplicas.
 */
export const replicaPlan = (active: number, replicas: number, burst: number): ReplicaPlan => {
  if (active === replicas) return { act: "nothing" }
  return active < replicas
    ? { act: "create", count: Math.min(replicas - active, burst) }
    : { act: "delete", count: Math.min(active - replicas, burst) }
}
