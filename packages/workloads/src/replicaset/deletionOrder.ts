import { annotationPodDeletionCost, isPodReady, isSidecar, type Pod, parseTime } from "@rollcall/api"
import { isPodActive, readySince } from "../podState.ts"

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * The cost in the annotation pod-deletion-cost; 0 if it is missing or not a plain 32-bit integer. Upstream:
 * pkg/apis/core/helper/helpers.go GetDeletionCostFromPodAnnotations.
 */
export const deletionCost = ({ metadata }: Pod): number => {
  const text = metadata.annotations?.[annotationPodDeletionCost]
  if (text === undefined || !/^(0|-?[0-9]+)$/.test(text) || /^0./.test(text)) return 0
  const cost = Number(text)
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0
}

/** Numbers of restarts of a pod. */
export interface Restarts {
  readonly containers: number
  readonly sidecars: number
}

/** The most restarts of any container, and of any sidecar. */
export const restartsOf = ({ spec, status }: Pod): Restarts => {
  const most = (counts: ReadonlyArray<number | undefined>) =>
    counts.reduce<number>((max, count) => Math.max(max, count ?? 0), 0)
  const sidecars = new Set(spec.initContainers?.filter(isSidecar).map(({ name }) => name))
  return {
    containers: most((status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    sidecars: most(
      (status?.initContainerStatuses ?? [])
        .filter(({ name }) => sidecars.has(name))
        .map(({ restartCount }) => restartCount)
    )
  }
}

/**
 * The age as a power of two of nanoseconds. Ages with the same power count as equal, so that scaling down does not
 * always affect the zone with the newest pods.
 */
const ageBucket = (sinceMs: number, nowMs: number): number =>
  nowMs > sinceMs ? Math.trunc(Math.log2((nowMs - sinceMs) * 1e6)) : -1

/**
 * Orders by age, younger first, in buckets: within a bucket the smaller UID is first, which is effectively random. A
 * missing time is first.
 */
const byAge = (left: SortablePod, right: SortablePod, leftMs: number, rightMs: number, nowMs: number): number => {
  if (leftMs === rightMs || (Number.isNaN(leftMs) && Number.isNaN(rightMs))) return 0
  if (Number.isNaN(leftMs)) return -1
  if (Number.isNaN(rightMs)) return 1
  const difference = ageBucket(leftMs, nowMs) - ageBucket(rightMs, nowMs)
  return difference !== 0 ? difference : left.uid < right.uid ? -1 : 1
}

/** A pod with its sort keys. */
interface SortablePod {
  readonly pod: Pod
  readonly uid: string
  readonly isAssigned: boolean
  readonly phase: number
  readonly isReady: boolean
  /** See `deletionCost`. */
  readonly cost: number
  /** Number of related pods on its node. */
  readonly podsOnNode: number
  readonly readyMs: number
  readonly restarts: Restarts
  readonly createdMs: number
}

const withSortKeys = (pod: Pod, podsOnNodes: ReadonlyMap<string, number>): SortablePod => ({
  pod,
  uid: pod.metadata.uid ?? "",
  isAssigned: (pod.spec.nodeName ?? "") !== "",
  phase: phaseOrder[pod.status?.phase ?? ""] ?? 0,
  isReady: isPodReady(pod),
  cost: deletionCost(pod),
  podsOnNode: podsOnNodes.get(pod.spec.nodeName ?? "") ?? 0,
  readyMs: readySince(pod),
  restarts: restartsOf(pod),
  createdMs: pod.metadata.creationTimestamp === undefined ? Number.NaN : parseTime(pod.metadata.creationTimestamp)
})

/** The order of deletion. */
const compare = (left: SortablePod, right: SortablePod, nowMs: number): number => {
  if (left.isAssigned !== right.isAssigned) return left.isAssigned ? 1 : -1
  if (left.phase !== right.phase) return left.phase - right.phase
  if (left.isReady !== right.isReady) return left.isReady ? 1 : -1
  if (left.cost !== right.cost) return left.cost - right.cost
  if (left.podsOnNode !== right.podsOnNode) return right.podsOnNode - left.podsOnNode
  if (left.isReady) {
    const byReadiness = byAge(left, right, left.readyMs, right.readyMs, nowMs)
    if (byReadiness !== 0) return byReadiness
  }
  if (left.restarts.containers !== right.restarts.containers)
    return right.restarts.containers - left.restarts.containers
  if (left.restarts.sidecars !== right.restarts.sidecars) return right.restarts.sidecars - left.restarts.sidecars
  return byAge(left, right, left.createdMs, right.createdMs, nowMs)
}

/**
 * The `excess` active pods of a set to delete, in order of deletion. `related` are the pods of the set and of its
 * sibling sets: pods on nodes with many of them are deleted first. Upstream: pkg/controller/controller_utils.go
 * ActivePodsWithRanks, pkg/controller/replicaset/replica_set.go getPodsToDelete.
 */
export const podsToDelete = (
  active: ReadonlyArray<Pod>,
  related: ReadonlyArray<Pod>,
  excess: number,
  nowMs: number
): ReadonlyArray<Pod> => {
  if (excess >= active.length) return active
  const podsOnNodes = new Map<string, number>()
  for (const pod of related) {
    const node = pod.spec.nodeName ?? ""
    if (isPodActive(pod)) podsOnNodes.set(node, (podsOnNodes.get(node) ?? 0) + 1)
  }
  return active
    .map((pod) => withSortKeys(pod, podsOnNodes))
    .sort((left, right) => compare(left, right, nowMs))
    .slice(0, excess)
    .map(({ pod }) => pod)
}

/**
 * The ages of the chosen pods as multiples of the age of the youngest, in whole numbers; pods that are not ready do not
 * count, and if all pods are chosen none does. Upstream: reportSortingDeletionAgeRatioMetric.
 */
export const deletionAgeRatios = (
  active: ReadonlyArray<Pod>,
  chosen: ReadonlyArray<Pod>,
  nowMs: number
): ReadonlyArray<number> => {
  if (chosen.length >= active.length) return []
  const agesOf = (pods: ReadonlyArray<Pod>) =>
    pods.filter(isPodReady).map(({ metadata }) => nowMs - parseTime(metadata.creationTimestamp ?? ""))
  const youngest = Math.min(...agesOf(active))
  return youngest > 0 ? agesOf(chosen).map((age) => Math.floor(age / youngest)) : []
}
