import { isPodReady, type Job, type Pod, parseTime } from "@rollcall/api"
import { readySince } from "../podState.ts"
import { restartsOf } from "../replicaset/deletionOrder.ts"
import { indexOf, isIndexed } from "./jobPods.ts"

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** Orders times: missing ones first, then the latest. */
const newerFirst = (left: number, right: number): number => {
  if (left === right || (Number.isNaN(left) && Number.isNaN(right))) return 0
  if (Number.isNaN(left)) return -1
  return Number.isNaN(right) ? 1 : right - left
}

const createdAt = ({ metadata }: Pod): number => parseTime(metadata.creationTimestamp ?? "")

/** Orders pods: those with the least progress first. Upstream: pkg/controller/controller_utils.go ActivePods. */
const leastProgressFirst = (left: Pod, right: Pod): number => {
  const assigned = (pod: Pod) => Number((pod.spec.nodeName ?? "") !== "")
  const phase = (pod: Pod) => phaseOrder[pod.status?.phase ?? ""] ?? 0
  const byState =
    assigned(left) - assigned(right) ||
    phase(left) - phase(right) ||
    Number(isPodReady(left)) - Number(isPodReady(right)) ||
    (isPodReady(left) ? newerFirst(readySince(left), readySince(right)) : 0)
  if (byState !== 0) return byState
  const [a, b] = [restartsOf(left), restartsOf(right)]
  return b.containers - a.containers || b.sidecars - a.sidecars || newerFirst(createdAt(left), createdAt(right))
}

/**
 * Active pods to delete, at least `count`: of an Indexed job first those without an index or with a duplicate one,
 * then those with the least progress. Upstream: pkg/controller/job/job_controller.go activePodsForRemoval.
 */
export const surplusPods = (job: Job, active: ReadonlyArray<Pod>, count: number): ReadonlyArray<Pod> => {
  const [unneeded, remaining] = isIndexed(job) ? splitDuplicates(job, active) : [[], active]
  const more = Math.max(0, count - unneeded.length)
  return more === 0 ? unneeded : [...unneeded, ...remaining.toSorted(leastProgressFirst).slice(0, more)]
}

/** Splits pods into those without an index or with a duplicate one, and the best pod of each index. */
const splitDuplicates = (
  job: Job,
  active: ReadonlyArray<Pod>
): readonly [unneeded: ReadonlyArray<Pod>, remaining: ReadonlyArray<Pod>] => {
  const unneeded: Array<Pod> = []
  const byIndex = new Map<number, Array<Pod>>()
  for (const pod of active) {
    const index = indexOf(job, pod)
    if (index === undefined) unneeded.push(pod)
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod])
  }
  const remaining: Array<Pod> = []
  for (const pods of byIndex.values()) {
    const sorted = pods.length > 1 ? pods.toSorted(leastProgressFirst) : pods
    unneeded.push(...sorted.slice(0, -1))
    remaining.push(...sorted.slice(-1))
  }
  return [unneeded, remaining]
}
