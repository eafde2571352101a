import type { Deployment, ReplicaSet } from "@rollcall/api"
import { isRolling, replicasOf, rolloutBounds } from "./bounds.ts"

/** A set and its new size. */
export interface Scaling {
  readonly replicaSet: ReplicaSet
  readonly replicas: number
}

/** The desired replicas of a set; 1 by default. */
export const sizeOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1
const availableIn = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0
const sum = (sets: ReadonlyArray<ReplicaSet>, of: (replicaSet: ReplicaSet) => number): number =>
  sets.reduce((total, replicaSet) => total + of(replicaSet), 0)

/** Sorts the oldest set first, by name if they are equally old. */
export const byAge = (left: ReplicaSet, right: ReplicaSet): number => {
  const [a = "", b = ""] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp]
  if (a !== b) return a < b ? -1 : 1
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1
}

/** The size of the newest set, which may not exist yet. Upstream: deployment_util.go NewRSNewReplicas. */
export const newSetSize = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet | undefined
): number => {
  const desired = replicasOf(deployment)
  if (!isRolling(deployment)) return desired
  const size = newest === undefined ? 0 : sizeOf(newest)
  const maxNewPods = desired + rolloutBounds(deployment).maxSurge - sum(old, sizeOf) - size
  return maxNewPods <= 0 ? size : size + Math.min(maxNewPods, Math.max(desired - size, 0))
}

/** The scaling of the newest set towards the desired size; empty if it has its size. */
const scaleUpNew = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet
): ReadonlyArray<Scaling> => {
  const desired = replicasOf(deployment)
  const size = sizeOf(newest)
  const replicas = size > desired ? desired : newSetSize(deployment, old, newest)
  return replicas === size ? [] : [{ replicaSet: newest, replicas }]
}

/** Removes up to `count` replicas from the sets in order, from each at most what `removable` returns. */
const reduceSizes = (
  sizes: Map<ReplicaSet, number>,
  count: number,
  removable: (replicaSet: ReplicaSet, size: number) => number
): void => {
  let remaining = count
  for (const [replicaSet, size] of sizes) {
    const removed = Math.min(remaining, removable(replicaSet, size))
    if (removed <= 0) continue
    sizes.set(replicaSet, size - removed)
    remaining -= removed
  }
}

/**
 * Scales old sets down as new replicas become available. Unavailable replicas go first, as far as the total permits;
 * of the available ones only as many as exceed the minimum that must stay available.
 */
const scaleDownOld = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet
): ReadonlyArray<Scaling> => {
  const minAvailable = replicasOf(deployment) - rolloutBounds(deployment).maxUnavailable
  const newUnavailable = sizeOf(newest) - availableIn(newest)
  const maxRemoved = sum(old, sizeOf) + sizeOf(newest) - minAvailable - newUnavailable
  if (sum(old, sizeOf) === 0 || maxRemoved <= 0) return []
  const sizes = new Map(old.toSorted(byAge).map((replicaSet) => [replicaSet, sizeOf(replicaSet)]))
  reduceSizes(sizes, maxRemoved, (replicaSet, size) => size - availableIn(replicaSet))
  const available = sum(old, availableIn) + availableIn(newest)
  if (available > minAvailable) reduceSizes(sizes, available - minAvailable, (_, size) => size)
  return changedSizes(sizes)
}

/** The sets whose size in the map differs from their current size. */
const changedSizes = (sizes: ReadonlyMap<ReplicaSet, number>): ReadonlyArray<Scaling> =>
  [...sizes].flatMap(([replicaSet, replicas]) => (replicas === sizeOf(replicaSet) ? [] : [{ replicaSet, replicas }]))

/** Whether pods of the set may exist, including terminating ones. */
const hasPods = ({ metadata, status }: ReplicaSet): boolean =>
  (status?.observedGeneration ?? 0) < (metadata.generation ?? 0) ||
  (status?.replicas ?? 0) > 0 ||
  (status?.terminatingReplicas ?? 0) > 0

/** Whether a Recreate deployment waits for old pods before it creates the new set. */
export const isWaitingForOldPods = (deployment: Deployment, old: ReadonlyArray<ReplicaSet>): boolean =>
  !isRolling(deployment) && old.some((replicaSet) => sizeOf(replicaSet) > 0 || hasPods(replicaSet))

/**
 * The next scaling towards the deployment's current template and size, given its newest set; empty when there is
 * nothing to do or to wait for. Upstream: pkg/controller/deployment/{rolling,recreate}.go.
 */
export const nextScalings = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet | undefined
): ReadonlyArray<Scaling> => {
  if (!isRolling(deployment)) {
    const down = old.filter((replicaSet) => sizeOf(replicaSet) > 0).map((replicaSet) => ({ replicaSet, replicas: 0 }))
    if (down.length > 0 || isWaitingForOldPods(deployment, old)) return down
    return newest === undefined ? [] : scaleUpNew(deployment, old, newest)
  }
  if (newest === undefined) return []
  const up = scaleUpNew(deployment, old, newest)
  return up.length > 0 ? up : scaleDownOld(deployment, old, newest)
}
