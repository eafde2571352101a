import { annotationPodDeletionCost, isPodReady, isSidecar, type Pod, parseTime } from "@rollcall/api"
import { isPodActive, readySince } from "../podState.ts"

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * 0 if missing or not a plain 32-bit integer. Upstream: pkg/apis/core/helper/helpers.go
 * GetDeletionCostFromPodAnnotations.
 */
export const deletionCost = ({ metadata }: Pod): number => {
  const text = metadata.annotations?.[annotationPodDeletionCost]
  if (text === undefined || !/^(0|-?[0-9]+)$/.test(text) || /^0./.test(text)) return 0
  const cost = Number(text)
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0
}

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
 * Ages within the same power of two of nanoseconds are equal, so that scaling down does not always affect the newest
 * zone.
 */
const ageBucket = (sinceMs: number, nowMs: number): number =>
  nowMs > sinceMs ? Math.trunc(Math.log2((nowMs - sinceMs) * 1e6)) : -1

/**
 * Younger first, by buckets; in one bucket the smaller UID, which is effectively random. A missing time comes first.
 */
const byAge = (left: Ranked, right: Ranked, leftMs: number, rightMs: number, nowMs: number): number => {
  if (leftMs === rightMs || (Number.isNaN(leftMs) && Number.isNaN(rightMs))) return 0
  if (Number.isNaN(leftMs)) return -1
  if (Number.isNaN(rightMs)) return 1
  const difference = ageBucket(leftMs, nowMs) - ageBucket(rightMs, nowMs)
  return difference !== 0 ? difference : left.uid < right.uid ? -1 : 1
}

/** A pod with its sort keys. */
interface Ranked {
  readonly pod: Pod
  readonly uid: string
  readonly isAssigned: boolean
  readonly phase: number
  readonly isReady: boolean
  readonly cost: number
  readonly crowd: number
  readonly readyMs: number
  readonly restarts: Restarts
  readonly createdMs: number
}

const rank = (pod: Pod, crowds: ReadonlyMap<string, number>): Ranked => ({
  pod,
  uid: pod.metadata.uid ?? "",
  isAssigned: (pod.spec.nodeName ?? "") !== "",
  phase: phaseOrder[pod.status?.phase ?? ""] ?? 0,
  isReady: isPodReady(pod),
  cost: deletionCost(pod),
  crowd: crowds.get(pod.spec.nodeName ?? "") ?? 0,
  readyMs: readySince(pod),
  restarts: restartsOf(pod),
  createdMs: pod.metadata.creationTimestamp === undefined ? Number.NaN : parseTime(pod.metadata.creationTimestamp)
})

const compare = (left: Ranked, right: Ranked, nowMs: number): number => {
  if (left.isAssigned !== right.isAssigned) return left.isAssigned ? 1 : -1
  if (left.phase !== right.phase) return left.phase - right.phase
  if (left.isReady !== right.isReady) return left.isReady ? 1 : -1
  if (left.cost !== right.cost) return left.cost - right.cost
  if (left.crowd !== right.crowd) return right.crowd - left.crowd
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
 * The `excess` active pods of a set to delete, in order of deletion. `related`: the pods of the set and of its sibling
 * sets; nodes with many of them come first. Upstream: pkg/controller/controller_utils.go ActivePodsWithRanks,
 * pkg/controller/replicaset/replica_set.go getPodsToDelete.
 */
export const podsToDelete = (
  active: ReadonlyArray<Pod>,
  related: ReadonlyArray<Pod>,
  excess: number,
  nowMs: number
): ReadonlyArray<Pod> => {
  if (excess >= active.length) return active
  const crowds = new Map<string, number>()
  for (const pod of related) {
    const node = pod.spec.nodeName ?? ""
    if (isPodActive(pod)) crowds.set(node, (crowds.get(node) ?? 0) + 1)
  }
  return active
    .map((pod) => rank(pod, crowds))
    .sort((left, right) => compare(left, right, nowMs))
    .slice(0, excess)
    .map(({ pod }) => pod)
}
