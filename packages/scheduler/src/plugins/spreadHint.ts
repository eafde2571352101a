import type { Node, Pod } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import { sameTaints } from "../cache/NodeChange.ts"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"
import type { SpreadConstraint } from "./spreadConstraints.ts"

type Constraints = ReadonlyArray<SpreadConstraint>

const labelsOf = ({ metadata }: Node | Pod): Readonly<Record<string, string>> => metadata.labels ?? {}

const hasAllKeys = (node: Node, constraints: Constraints): boolean =>
  constraints.every(({ topologyKey }) => labelsOf(node)[topologyKey] !== undefined)

/**
 * Whether a node counts now and did not before, or the reverse, or if it does, whether its domains or taints changed.
 */
const nodeChangeMatters = (before: Node, node: Node, constraints: Constraints): boolean => {
  const isCountedNow = hasAllKeys(node, constraints)
  if (isCountedNow !== hasAllKeys(before, constraints)) return true
  if (!isCountedNow) return false
  const hasMoved = constraints.some(({ topologyKey }) => labelsOf(before)[topologyKey] !== labelsOf(node)[topologyKey])
  return hasMoved || !sameTaints(before, node)
}

const isCounted = (pod: Pod, { selection }: SpreadConstraint): boolean => selection.matches(labelsOf(pod))

/** Whether a constraint counts the pod now and did not before, or the reverse. */
const changesCount = (before: Pod, pod: Pod, constraints: Constraints): boolean =>
  constraints.some((constraint) => isCounted(before, constraint) !== isCounted(pod, constraint))

/**
 * Whether an event could make a pod schedulable that its constraints rejected. Upstream: podtopologyspread/plugin.go.
 */
export const spreadHint = (constraints: Constraints, { namespace }: PodInfo, event: SchedulingEvent): boolean => {
  const isCandidate = (pod: Pod) =>
    (pod.spec.nodeName ?? "") !== "" && (pod.metadata.namespace ?? "default") === namespace
  switch (event._tag) {
    case "NodeAdded":
    case "NodeDeleted":
      return hasAllKeys(event.node, constraints)
    case "NodeUpdated":
      return nodeChangeMatters(event.before, event.node, constraints)
    case "AssignedPodAdded":
    case "AssignedPodDeleted":
      return isCandidate(event.pod) && constraints.some((constraint) => isCounted(event.pod, constraint))
    case "AssignedPodUpdated":
      return event.change.relabelled && isCandidate(event.pod) && changesCount(event.before, event.pod, constraints)
    case "UnscheduledPodUpdated":
      return (
        (event.change.tolerates && constraints.some(({ honorsTaints }) => honorsTaints)) ||
        (event.change.relabelled && changesCount(event.before, event.pod, constraints))
      )
    default:
      return false
  }
}
