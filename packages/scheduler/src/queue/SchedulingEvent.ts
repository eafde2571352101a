import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceClaim,
  ResourceSlice,
  StorageClass,
  VolumeAttachment
} from "@rollcall/api"
import type { NodeChange } from "../cache/NodeChange.ts"

/** Which changes an update made to a pod, of those that could make it, or other pods, schedulable. */
export interface PodChange {
  /** It requests less of a resource. */
  readonly scaledDown: boolean
  /** Its labels changed. */
  readonly relabelled: boolean
  /** The number of its tolerations changed: the API only permits additions. */
  readonly tolerates: boolean
  /** Its generated claims changed. */
  readonly claims?: boolean
}

/** An event that may make an unschedulable pod schedulable. If `before` is undefined, the object is new. */
export type SchedulingEvent =
  | { readonly _tag: "NodeAdded"; readonly node: Node }
  | { readonly _tag: "NodeUpdated"; readonly before: Node; readonly node: Node; readonly change: NodeChange }
  | { readonly _tag: "NodeDeleted"; readonly node: Node }
  /** A pod with a node was added, or was assumed there. */
  | { readonly _tag: "AssignedPodAdded"; readonly pod: Pod }
  /** A pod with a node changed. */
  | { readonly _tag: "AssignedPodUpdated"; readonly before: Pod; readonly pod: Pod; readonly change: PodChange }
  /** A pod left its node; or, without a node, lost its nomination. */
  | { readonly _tag: "AssignedPodDeleted"; readonly pod: Pod }
  /** The unscheduled pod itself changed. */
  | { readonly _tag: "UnscheduledPodUpdated"; readonly before: Pod; readonly pod: Pod; readonly change: PodChange }
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
  | { readonly _tag: "AttachmentDeleted"; readonly attachment: VolumeAttachment }
  | {
      readonly _tag: "ResourceClaimChanged"
      readonly before: ResourceClaim | undefined
      readonly claim: ResourceClaim
    }
  | {
      readonly _tag: "DeviceClassChanged"
      readonly before: DeviceClass | undefined
      readonly deviceClass: DeviceClass
    }
  | {
      readonly _tag: "ResourceSliceChanged"
      readonly before: ResourceSlice | undefined
      readonly slice: ResourceSlice
    }

/** Field of a change → action in the label of metrics. The first field that changed gives the label. */
const nodeActions = [
  ["allocatable", "UpdateNodeAllocatable"],
  ["labels", "UpdateNodeLabel"],
  ["taints", "UpdateNodeTaint"],
  ["conditions", "UpdateNodeCondition"],
  ["annotations", "UpdateNodeAnnotation"],
  ["declaredFeatures", "UpdateNodeDeclaredFeature"]
] as const satisfies ReadonlyArray<readonly [keyof NodeChange, string]>

/** Field of a change → action in the label of metrics. The first field that changed gives the label. */
const podActions = [
  ["relabelled", "UpdatePodLabel"],
  ["scaledDown", "UpdatePodScaleDown"],
  ["tolerates", "UpdatePodToleration"],
  ["claims", "UpdatePodGeneratedResourceClaim"]
] as const satisfies ReadonlyArray<readonly [keyof PodChange, string]>

const podAction = (change: PodChange): string => podActions.find(([part]) => change[part])?.[1] ?? "Update"
const addOrUpdate = (before: unknown): string => (before === undefined ? "Add" : "Update")

/** The label in metrics for the arrival of a new unscheduled pod. */
export const pendingPodAdded = "UnschedulablePodAdd"

/**
 * The label of an event in metrics: the resource, then the action.
 * Upstream: staging/src/k8s.io/kube-scheduler/framework ClusterEvent.Label.
 */
export const labelOf = (event: SchedulingEvent): string => {
  switch (event._tag) {
    case "NodeAdded":
      return "NodeAdd"
    case "NodeUpdated":
      return `Node${nodeActions.find(([part]) => event.change[part])?.[1] ?? "Update"}`
    case "NodeDeleted":
      return "NodeDelete"
    case "AssignedPodAdded":
      return "AssignedPodAdd"
    case "AssignedPodUpdated":
      return `AssignedPod${podAction(event.change)}`
    case "AssignedPodDeleted":
      return "AssignedPodDelete"
    case "UnscheduledPodUpdated":
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
    case "AttachmentDeleted":
      return "VolumeAttachmentDelete"
    case "ResourceClaimChanged":
      return `ResourceClaim${addOrUpdate(event.before)}`
    case "DeviceClassChanged":
      return `DeviceClass${addOrUpdate(event.before)}`
    case "ResourceSliceChanged":
      return `ResourceSlice${addOrUpdate(event.before)}`
  }
}
