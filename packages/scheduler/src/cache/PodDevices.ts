import type { DeviceClass, Node, Pod, ResourceClaim, ResourceSlice } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"
import type { NodeInfo, PodInfo } from "./CacheRecords.ts"

/** Returns why a node is not feasible; undefined if it is. */
export type DeviceCheck = (node: Node) => string | undefined

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
 * that uses claims.
 */
export interface PodDevices {
  readonly setClaim: (claim: ResourceClaim, isDeleted: boolean) => void
  readonly setClass: (deviceClass: DeviceClass, isDeleted: boolean) => void
  readonly setSlice: (slice: ResourceSlice, isDeleted: boolean) => void
  /** Returns why a pod cannot be tried: a claim of it does not exist, for example. */
  readonly gate: (pod: Pod) => string | undefined
  /** Returns the check of nodes; undefined if all are feasible, or why none is. */
  readonly prepare: (pod: Pod, bindingTimeoutMs: number) => DeviceCheck | string | undefined
  /** Deallocates a claim that keeps a pod off the nodes, if there is one. Returns what happened, for the pod's message. */
  readonly deallocate: (pod: Pod) => string
  /** Returns false if no claim prefers some nodes. */
  readonly score: (pod: Pod, nodes: ReadonlyArray<NodeInfo>, scores: Array<number>) => boolean
  /** Decides on the devices of a pod's claims; returns the error. */
  readonly reserve: (pod: Pod, node: Node | undefined) => string | undefined
  readonly unreserve: (pod: Pod) => void
  readonly preBind: (binding: DeviceBinding, timeoutMs: number) => () => void
  readonly hint: (pod: Pod, event: SchedulingEvent) => boolean
}

/** Whether a pod uses claims: all that the scheduler asks of most pods. */
export const usesClaims = ({ spec }: Pod): boolean =>
  spec.resourceClaims !== undefined && spec.resourceClaims.length > 0
