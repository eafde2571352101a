import type { ResourceClaim } from "@rollcall/api"

/** Must be called once: without an argument when the driver is done, or with its error. */
export type DriverDone = (problem?: string) => void

/** A driver of devices on one node. Upstream: the DRAPlugin service of the kubelet, v1. */
export interface DeviceDriver {
  /** Makes the devices of a claim usable by containers of the node. May be called again for a prepared claim. */
  readonly prepare: (claim: ResourceClaim, done: DriverDone) => void
  /** Undoes that. May be called for a claim that is not prepared. */
  readonly unprepare: (claim: ResourceClaim, done: DriverDone) => void
}

export interface DeviceDriversShape {
  /** Returns the driver of this name on a node; undefined if none is registered there. */
  readonly of: (node: string, driver: string) => DeviceDriver | undefined
}
