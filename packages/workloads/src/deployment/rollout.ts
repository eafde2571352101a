import type { Deployment, ReplicaSet } from "@rollcall/api"
import { isRolling, replicasOf, rolloutBounds } from "./bounds.ts"

/** A set and its new size. */
export interface Scaling {
  readonly replicaSet: ReplicaSet
  readonly replicas: number
}

export const sizeOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1
const availableIn = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0
const sum = (sets: ReadonlyArray<ReplicaSet>, of: (replicaSet: ReplicaSet) => number): number =>
  sets.reduce((total, replicaSet) => total + of(replicaSet), 0)

/** Oldest first. */
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
  const wanted = replicasOf(deployment)
  if (!isRolling(deployment)) return wanted
  const size = newest === undefined ? 0 : sizeOf(newest)
  const room = wanted + rolloutBounds(deployment).maxSurge - sum(old, sizeOf) - size
  return room <= 0 ? size : size + Math.min(room, Math.max(wanted - size, 0))
}

const scaleUpNew = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet
): ReadonlyArray<Scaling> => {
  const wanted = replicasOf(deployment)
  const size = sizeOf(newest)
  const replicas = size > wanted ? wanted : newSetSize(deployment, old, newest)
  return replicas === size ? [] : [{ replicaSet: newest, replicas }]
}

/** Removes replicas from old sets in turn, from each at most what `spare` allows. */
const shrink = (
  sizes: Map<ReplicaSet, number>,
  count: number,
  spare: (replicaSet: ReplicaSet, size: number) => number
): number => {
  let left = count
  for (const [replicaSet, size] of sizes) {
    const taken = Math.min(left, spare(replicaSet, size))
    if (taken <= 0) continue
    sizes.set(replicaSet, size - taken)
    left -= taken
  }
  return count - left
}

/** Scales old sets down as new replicas become available: unhealthy replicas first. */
const scaleDownOld = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet
): ReadonlyArray<Scaling> => {
  const minAvailable = replicasOf(deployment) - rolloutBounds(deployment).maxUnavailable
  const newUnavailable = sizeOf(newest) - availableIn(newest)
  const mayGo = sum(old, sizeOf) + sizeOf(newest) - minAvailable - newUnavailable
  if (sum(old, sizeOf) === 0 || mayGo <= 0) return []
  const sizes = new Map(old.toSorted(byAge).map((replicaSet) => [replicaSet, sizeOf(replicaSet)]))
  shrink(sizes, mayGo, (replicaSet, size) => size - availableIn(replicaSet))
  const available = sum(old, availableIn) + availableIn(newest)
  if (available > minAvailable) shrink(sizes, available - minAvailable, (_, size) => size)
  return changed(sizes)
}

const changed = (sizes: ReadonlyMap<ReplicaSet, number>): ReadonlyArray<Scaling> =>
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
