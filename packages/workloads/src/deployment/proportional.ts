import type { Deployment, ReplicaSet } from "@rollcall/api"
import { isRolling, replicasOf, rolloutBounds } from "./bounds.ts"
import { annotationDesiredReplicas, annotationMaxReplicas } from "./newReplicaSet.ts"
import { byAge, type Scaling, sizeOf } from "./rollout.ts"

/** The number in an annotation of a set; undefined if it is absent or no number. */
const annotatedNumber = ({ metadata }: ReplicaSet, annotation: string): number | undefined => {
  const text = metadata.annotations?.[annotation]
  return text === undefined || !/^[0-9]+$/.test(text) ? undefined : Number(text)
}

const isActive = (replicaSet: ReplicaSet): boolean => sizeOf(replicaSet) > 0
const totalSize = (sets: ReadonlyArray<ReplicaSet>): number => sets.reduce((sum, set) => sum + sizeOf(set), 0)

/** Whether the desired size has changed since the sets were last scaled. Upstream: sync.go isScalingEvent. */
export const isScalingEvent = (deployment: Deployment, sets: ReadonlyArray<ReplicaSet>): boolean =>
  sets.some((replicaSet) => {
    const desired = annotatedNumber(replicaSet, annotationDesiredReplicas)
    return isActive(replicaSet) && desired !== undefined && desired !== replicasOf(deployment)
  })

/**
 * The change of a set's size if all sets keep their proportions. Upstream: deployment_util.go getReplicaSetFraction.
 */
const proportionalChange = (deployment: Deployment, replicaSet: ReplicaSet): number => {
  const size = sizeOf(replicaSet)
  const replicas = replicasOf(deployment)
  if (replicas === 0) return -size
  const maxReplicasBefore = annotatedNumber(replicaSet, annotationMaxReplicas) || (deployment.status?.replicas ?? 0)
  if (maxReplicasBefore === 0) return 0
  return Math.round((size * (replicas + rolloutBounds(deployment).maxSurge)) / maxReplicasBefore) - size
}

/** Sorts the largest set first. Of equal ones the newer is first when growing, the older when shrinking. */
const inScalingOrder = (sets: ReadonlyArray<ReplicaSet>, growing: boolean): ReadonlyArray<ReplicaSet> =>
  sets.toSorted((left, right) => sizeOf(right) - sizeOf(left) || (growing ? byAge(right, left) : byAge(left, right)))

/** Distributes the change of the deployment's size over its sets in proportion to their sizes. */
const proportionalScalings = (deployment: Deployment, sets: ReadonlyArray<ReplicaSet>): ReadonlyArray<Scaling> => {
  const replicas = replicasOf(deployment)
  const allowed = replicas > 0 ? replicas + rolloutBounds(deployment).maxSurge : 0
  const toAdd = allowed - totalSize(sets)
  let added = 0
  const sizes = inScalingOrder(sets, toAdd > 0).map((replicaSet) => {
    const remaining = toAdd - added
    const change = remaining === 0 ? 0 : proportionalChange(deployment, replicaSet)
    const applied = toAdd > 0 ? Math.min(change, remaining) : Math.max(change, remaining)
    added += applied
    return { replicaSet, replicas: sizeOf(replicaSet) + applied }
  })
  // The first set gets the rounding remainder.
  return sizes.map(({ replicaSet, replicas: size }, index) => ({
    replicaSet,
    replicas: Math.max(0, index === 0 ? size + toAdd - added : size)
  }))
}

/**
 * Scales a deployment's sets to its desired size without continuing the rollout: the only set with pods gets all, or
 * each set its proportion during a rollout. Includes sets whose size does not change: their annotations are updated.
 * Upstream: pkg/controller/deployment/sync.go scale.
 */
export const sizeScalings = (
  deployment: Deployment,
  old: ReadonlyArray<ReplicaSet>,
  newest: ReplicaSet | undefined
): ReadonlyArray<Scaling> => {
  const all = newest === undefined ? old : [...old, newest]
  const active = all.filter(isActive)
  const replicas = replicasOf(deployment)
  if (active.length <= 1) {
    const only = active[0] ?? newest ?? old.toSorted(byAge).at(-1)
    return only === undefined ? [] : [{ replicaSet: only, replicas }]
  }
  const isSaturated =
    newest !== undefined &&
    sizeOf(newest) === replicas &&
    annotatedNumber(newest, annotationDesiredReplicas) === replicas &&
    newest.status?.availableReplicas === replicas
  if (isSaturated) return old.filter(isActive).map((replicaSet) => ({ replicaSet, replicas: 0 }))
  return isRolling(deployment) ? proportionalScalings(deployment, active) : []
}
