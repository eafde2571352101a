import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment
} from "@rollcall/api"
import type { NodeChange } from "../cache/NodeChange.ts"

/** What about a pod has changed that could help it, or others. */
export interface PodChange {
  /** It asks for less of something. */
  readonly scaledDown: boolean
  readonly relabelled: boolean
  /** It has got a toleration. */
  readonly tolerates: boolean
}

/** Something that happened in the cluster and may let a pod be placed that could not be. Without `before` it is new. */
export type SchedulingEvent =
  | { readonly _tag: "NodeAdded"; readonly node: Node }
  | { readonly _tag: "NodeUpdated"; readonly before: Node; readonly node: Node; readonly change: NodeChange }
  | { readonly _tag: "NodeGone"; readonly node: Node }
  /** A pod that is on a node came, or was put there. */
  | { readonly _tag: "PodPlaced"; readonly pod: Pod }
  /** A pod that is on a node changed. */
  | { readonly _tag: "PodUpdated"; readonly before: Pod; readonly pod: Pod; readonly change: PodChange }
  /** A pod left its node; or, where it names none, gave up the room that it was promised. */
  | { readonly _tag: "PodGone"; readonly pod: Pod }
  /** The waiting pod itself changed. */
  | { readonly _tag: "PendingUpdated"; readonly before: Pod; readonly pod: Pod; readonly change: PodChange }
  | {
      readonly _tag: "ClaimChanged"
      readonly before: PersistentVolumeClaim | undefined
      readonly claim: PersistentVolumeClaim
    }
  | { readonly _tag: "VolumeChanged"; readonly before: PersistentVolume | undefined; readonly volume: PersistentVolume }
  | {
      readonly _tag: "StorageClassChanged"
      readonly before: StorageClass | undefined
      readonly storageClass: StorageClass
    }
  | { readonly _tag: "CSINodeChanged"; readonly before: CSINode | undefined; readonly csiNode: CSINode }
  | { readonly _tag: "CSIDriverUpdated"; readonly before: CSIDriver; readonly driver: CSIDriver }
  | {
      readonly _tag: "StorageCapacityChanged"
      readonly before: CSIStorageCapacity | undefined
      readonly capacity: CSIStorageCapacity
    }
  | { readonly _tag: "AttachmentGone"; readonly attachment: VolumeAttachment }

const nodeActions = [
  ["allocatable", "UpdateNodeAllocatable"],
  ["labels", "UpdateNodeLabel"],
  ["taints", "UpdateNodeTaint"],
  ["conditions", "UpdateNodeCondition"],
  ["annotations", "UpdateNodeAnnotation"],
  ["declaredFeatures", "UpdateNodeDeclaredFeature"]
] as const satisfies ReadonlyArray<readonly [keyof NodeChange, string]>

const podActions = [
  ["relabelled", "UpdatePodLabel"],
  ["scaledDown", "UpdatePodScaleDown"],
  ["tolerates", "UpdatePodToleration"]
] as const satisfies ReadonlyArray<readonly [keyof PodChange, string]>

const podAction = (change: PodChange): string => podActions.find(([part]) => change[part])?.[1] ?? "Update"
const addOrUpdate = (before: unknown): string => (before === undefined ? "Add" : "Update")

/** A pod that has to be placed has come. */
export const pendingPodAdded = "UnschedulablePodAdd"

/** What metrics call an event: the resource, then what happened to it. Upstream: staging/src/k8s.io/kube-scheduler/framework ClusterEvent.Label. */
export const labelOf = (event: SchedulingEvent): string => {
  switch (event._tag) {
    case "NodeAdded":
      return "NodeAdd"
    case "NodeUpdated":
      return `Node${nodeActions.find(([part]) => event.change[part])?.[1] ?? "Update"}`
    case "NodeGone":
      return "NodeDelete"
    case "PodPlaced":
      return "AssignedPodAdd"
    case "PodUpdated":
      return `AssignedPod${podAction(event.change)}`
    case "PodGone":
      return "AssignedPodDelete"
    case "PendingUpdated":
      return `UnschedulablePod${podAction(event.change)}`
    case "ClaimChanged":
      return `PersistentVolumeClaim${addOrUpdate(event.before)}`
    case "VolumeChanged":
      return `PersistentVolume${addOrUpdate(event.before)}`
    case "StorageClassChanged":
      return `StorageClass${addOrUpdate(event.before)}`
    case "CSINodeChanged":
      return `CSINode${addOrUpdate(event.before)}`
    case "CSIDriverUpdated":
      return "CSIDriverUpdate"
    case "StorageCapacityChanged":
      return `CSIStorageCapacity${addOrUpdate(event.before)}`
    case "AttachmentGone":
      return "VolumeAttachmentDelete"
  }
}
