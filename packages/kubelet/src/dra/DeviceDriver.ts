import type { ResourceClaim } from "@rollcall/api"

/** A device as the driver that prepared it names it. */
export interface PreparedDevice {
  /** The requests of the claim that it is for; all if empty. */
  readonly requestNames: ReadonlyArray<string>
  readonly poolName: string
  readonly deviceName: string
  /** Its names in the container device interface; the first is its ID in the status of pods. */
  readonly cdiDeviceIDs: ReadonlyArray<string>
  /** The share of a device that several claims have. */
  readonly shareID?: string
}

/**
 * Must be called once: without an argument when the driver is done, or with its error. `devices` are those that were prepared;
 * absent if they are those of the claim's allocation.
 */
export type DriverDone = (problem?: string, devices?: ReadonlyArray<PreparedDevice>) => void

/** A driver of devices on one node. Upstream: the DRAPlugin service of the kubelet, v1. */
export interface DeviceDriver {
  /** Makes the devices of a claim usable by containers of the node. May be called again for a prepared claim. */
  readonly prepare: (claim: ResourceClaim, done: DriverDone) => void
  /** Undoes that. May be called for a claim that is not prepared. */
  readonly unprepare: (claim: ResourceClaim, done: DriverDone) => void
}

/** What a driver says about one of its devices. Upstream: the DRAResourceHealth service of the kubelet, v1alpha1. */
export interface DeviceHealth {
  readonly poolName: string
  readonly deviceName: string
  readonly health: "Healthy" | "Unhealthy" | "Unknown"
  readonly message?: string
  /** How long this counts; absent or not positive means 30 s. */
  readonly timeoutMs?: number
}

/** Receives the health of all devices of a driver; undefined when the driver does not report it any more. */
export type HealthListener = (driver: string, devices: ReadonlyArray<DeviceHealth> | undefined) => void

/** Where what is known of the health of a node's devices outlasts the kubelet's process. Both may throw. */
export interface HealthCheckpoint {
  /** Returns what was written last; undefined if nothing was. */
  readonly read: () => string | undefined
  readonly write: (text: string) => void
}

export interface DeviceDriversShape {
  /** Returns the driver of this name on a node; undefined if none is registered there. */
  readonly of: (node: string, driver: string) => DeviceDriver | undefined
  /**
   * Tells a listener, later, what the drivers of a node report of their devices: what they have reported last, then each
   * report. Absent if none reports anything.
   */
  readonly watchHealth?: (node: string, listener: HealthListener) => void
  /** Absent if what they report does not outlast the kubelet's process. */
  readonly healthCheckpoint?: HealthCheckpoint
}
