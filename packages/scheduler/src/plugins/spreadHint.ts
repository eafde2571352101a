import type { Node, Pod } from "@rollcall/api"
import type { PodInfo } from "../cache/CacheRecords.ts"
import { sameTaints } from "../cache/NodeChange.ts"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"
import type { SpreadConstraint } from "./spreadConstraints.ts"

type Constraints = ReadonlyArray<SpreadConstraint>

const labelsOf = ({ metadata }: Node | Pod): Readonly<Record<string, string>> => metadata.labels ?? {}

const hasAllKeys = (node: Node, constraints: Constraints): boolean =>
  constraints.every(({ topologyKey }) => labelsOf(node)[topologyKey] !== undefined)

/** A node's domains or taints are others than before, and it counts or has counted. */
const nodeMatters = (before: Node, node: Node, constraints: Constraints): boolean => {
  const counts = hasAllKeys(node, constraints)
  if (counts !== hasAllKeys(before, constraints)) return true
  if (!counts) return false
  const moved = constraints.some(({ topologyKey }) => labelsOf(before)[topologyKey] !== labelsOf(node)[topologyKey])
  return moved || !sameTaints(before, node)
}

const isCounted = (pod: Pod, { selection }: SpreadConstraint): boolean => selection.matches(labelsOf(pod))

const changesSides = (before: Pod, pod: Pod, constraints: Constraints): boolean =>
  constraints.some((constraint) => isCounted(before, constraint) !== isCounted(pod, constraint))

/** Whether an event could let a pod be placed that its constraints kept back. Upstream: podtopologyspread/plugin.go. */
export const spreadHint = (constraints: Constraints, { namespace }: PodInfo, event: SchedulingEvent): boolean => {
  const concerns = (pod: Pod) => (pod.spec.nodeName ?? "") !== "" && (pod.metadata.namespace ?? "default") === namespace
  switch (event._tag) {
    case "NodeAdded":
    case "NodeGone":
      return hasAllKeys(event.node, constraints)
    case "NodeUpdated":
      return nodeMatters(event.before, event.node, constraints)
    case "PodPlaced":
    case "PodGone":
      return concerns(event.pod) && constraints.some((constraint) => isCounted(event.pod, constraint))
    case "PodUpdated":
      return event.change.relabelled && concerns(event.pod) && changesSides(event.before, event.pod, constraints)
    case "PendingUpdated":
      return (
        (event.change.tolerates && constraints.some(({ honorsTaints }) => honorsTaints)) ||
        (event.change.relabelled && changesSides(event.before, event.pod, constraints))
      )
    default:
      return false
  }
}
