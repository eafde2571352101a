import type { Node, Pod } from "@rollcall/api"
import type { NodeChange } from "../cache/NodeChange.ts"

/** Something that happened in the cluster and may let a pod be placed that could not be. */
export type SchedulingEvent =
  | { readonly _tag: "NodeAdded"; readonly node: Node }
  | { readonly _tag: "NodeUpdated"; readonly before: Node; readonly node: Node; readonly change: NodeChange }
  | { readonly _tag: "NodeGone"; readonly node: Node }
  /** A pod that is on a node came, or was put there. */
  | { readonly _tag: "PodPlaced"; readonly pod: Pod }
  /** Its labels changed, or it asks for less. */
  | { readonly _tag: "PodUpdated"; readonly before: Pod; readonly pod: Pod; readonly scaledDown: boolean }
  | { readonly _tag: "PodGone"; readonly pod: Pod }

const changes = [
  ["allocatable", "UpdateNodeAllocatable"],
  ["labels", "UpdateNodeLabel"],
  ["taints", "UpdateNodeTaint"],
  ["conditions", "UpdateNodeCondition"],
  ["annotations", "UpdateNodeAnnotation"]
] as const satisfies ReadonlyArray<readonly [keyof NodeChange, string]>

/** What metrics call an event. Upstream: staging/src/k8s.io/kube-scheduler/framework ClusterEvent.Label. */
export const labelOf = (event: SchedulingEvent): string => {
  switch (event._tag) {
    case "NodeAdded":
      return "NodeAdd"
    case "NodeUpdated":
      return changes.find(([change]) => event.change[change])?.[1] ?? "NodeUpdate"
    case "NodeGone":
      return "NodeDelete"
    case "PodPlaced":
      return "AssignedPodAdd"
    case "PodUpdated":
      return event.scaledDown ? "UpdatePodScaleDown" : "UpdatePodLabel"
    case "PodGone":
      return "AssignedPodDelete"
  }
}
