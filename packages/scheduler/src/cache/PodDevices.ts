import type { DeviceClass, Node, Pod, ResourceClaim, ResourceSlice } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"
import type { NodeInfo, PodInfo } from "./CacheRecords.ts"
import { isExtendedResource } from "./PodDemand.ts"

/** Returns why a node is not feasible; undefined if it is. */
export type DeviceCheck = (node: NodeInfo) => string | undefined

/** How long devices may take. */
export interface DeviceLimits {
  /** Until they are ready. */
  readonly bindingTimeoutMs: number
  /** To be found on one node; 0 means as long as it takes. */
  readonly filterTimeoutMs: number
}

/** The binding of a pod whose claims are to be written. */
export interface DeviceBinding {
  readonly pod: PodInfo
  readonly node: string
  readonly connection: Connection
  readonly timers: TimersShape
  /** Records a normal Event about the pod. */
  readonly note: (reason: string, message: string) => void
  readonly done: (problem?: string) => void
}

/**
 * The devices of the cluster and the claims of pods: what the plugin DynamicResources knows. It is loaded with the first pod
 * that uses claims or extended resources.
 */
export interface PodDevices {
  readonly setClaim: (claim: ResourceClaim, isDeleted: boolean) => void
  readonly setClass: (deviceClass: DeviceClass, isDeleted: boolean) => void
  readonly setSlice: (slice: ResourceSlice, isDeleted: boolean) => void
  /** Whether a class of devices provides the resource. */
  readonly hasClassFor: (resource: string) => boolean
  /** Returns why a pod cannot be tried: a claim of it does not exist, for example. */
  readonly gate: (pod: Pod) => string | undefined
  /** Counts the devices of a node that provide the resource, and those in use; undefined if no class provides it, or a selector fails. */
  readonly totals: (
    resource: string,
    node: Node
  ) => { readonly capacity: number; readonly allocated: number } | undefined
  /** Returns the check of nodes; undefined if all are feasible, or why none is. */
  readonly prepare: (pod: PodInfo, limits: DeviceLimits) => DeviceCheck | string | undefined
  /** Deallocates a claim that keeps a pod off the nodes, if there is one. Returns what happened, for the pod's message. */
  readonly deallocate: (pod: Pod) => string
  /** Returns false if no claim prefers some nodes. */
  readonly score: (pod: PodInfo, nodes: ReadonlyArray<NodeInfo>, scores: Array<number>) => boolean
  /** Decides on the devices of a pod's claims; returns the error. */
  readonly reserve: (pod: PodInfo, node: NodeInfo | undefined) => string | undefined
  readonly unreserve: (pod: Pod) => void
  readonly preBind: (binding: DeviceBinding, timeoutMs: number) => () => void
  readonly hint: (pod: Pod, event: SchedulingEvent) => boolean
}

/** Whether a pod uses claims: all that the scheduler asks of most pods. */
export const usesClaims = ({ spec }: Pod): boolean =>
  spec.resourceClaims !== undefined && spec.resourceClaims.length > 0

/** A class provides the resource of this prefix and its name. Upstream: ResourceDeviceClassPrefix. */
export const CLASS_RESOURCE_PREFIX = "deviceclass.resource.kubernetes.io/"

/** Whether a class of devices may provide the resource. Upstream: pkg/scheduler/util IsDRAExtendedResourceName. */
export const mayBeOfClass = (resource: string): boolean =>
  isExtendedResource(resource) || resource.startsWith(CLASS_RESOURCE_PREFIX)

const requestsOfClass = ({ containers, initContainers = [] }: Pod["spec"]): boolean =>
  [containers, initContainers].some((list) =>
    list.some(({ resources }) => {
      for (const name in resources?.requests) if (name.includes("/") && mayBeOfClass(name)) return true
      return false
    })
  )

/** Whether a pod may need devices: by claims, or if classes can provide extended resources by these. */
export const mayNeedDevices = (pod: Pod, byResources: boolean): boolean =>
  usesClaims(pod) || (byResources && requestsOfClass(pod.spec))

/** Whether the plugin DynamicResources has to do with a pod. */
export const needsDevices = ({ pod, requests }: PodInfo, devices: PodDevices | undefined): boolean =>
  usesClaims(pod) ||
  (devices !== undefined && requests.scalars.some(({ amount, name }) => amount > 0 && devices.hasClassFor(name)))
