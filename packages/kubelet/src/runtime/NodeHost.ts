import type { NodeAddress, ResourceList } from "@rollcall/api"
import type { RuntimeImage, Versions } from "../node/NodeInfo.ts"

/** What a machine is, as far as a Node object tells. */
export interface Machine {
  /** cpu, memory, ephemeral-storage, huge pages, extended resources; `pods` where the machine's own limit is known. */
  readonly capacity: ResourceList
  /** What pods may use, where it is known and not to be worked out from reservations. */
  readonly allocatable?: ResourceList
  /** InternalIP and Hostname, in this order. */
  readonly addresses: ReadonlyArray<NodeAddress>
  readonly operatingSystem: string
  readonly architecture: string
  readonly machineID: string
  readonly systemUUID: string
  /** Changes with every boot. */
  readonly bootID: string
  readonly versions: Versions
  /** Largest first. */
  readonly images: ReadonlyArray<RuntimeImage>
}

/**
 * The port to the machine that a kubelet runs on: what machine is this? `machine` is read by each status pass; it answers the
 * same value for as long as nothing changed.
 */
export interface NodeHost {
  readonly machine: () => Machine
  /** The machine was started anew: from now on it has another boot id. */
  readonly booted: () => void
}
