import type { Node } from "@rollcall/api"
import type { ControlledHost, Kubelet, PressureKind } from "@rollcall/kubelet"
import type { ResourceManagers } from "@rollcall/topology"
import type { Link } from "./link/Link.ts"
import type { MachineShutdown } from "./shutdown/MachineShutdown.ts"

/** A machine with its kubelet, and its network link to the API server. */
export interface Machine {
  readonly name: string
  readonly group: string | undefined
  readonly host: ControlledHost
  readonly kubelet: Kubelet
  readonly link: Link
  readonly shutdown: MachineShutdown
  /** The managers of its processors, memory and devices; undefined if its kubelet's configuration enables none. */
  readonly managers: ResourceManagers | undefined
  /** The Node that this machine's kubelet registers; undefined if the machine has a Node in the snapshot already. */
  readonly registered: Node | undefined
  /** Starts the machine: healthy, or with the health problems of its snapshot. */
  readonly start: () => void
  /** Whether it has power. */
  readonly powered: boolean
  /** Powers it off: the processes of its kubelet and its containers end. */
  readonly crash: () => void
  /** Boots it with a new boot id, and starts its kubelet. Health problems of the snapshot end. */
  readonly boot: () => void
  /** Tells the kubelet that the link works again; it reconnects at once if its model says so. */
  readonly reconnect: () => void
  /** Makes its node report pressure, regardless of measurements. */
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly setRuntimeDown: (down: boolean) => void
  readonly setNetworkUnavailable: (unavailable: boolean) => void
  /** Sets how many milliseconds its clock is ahead from now on. */
  readonly setClockSkew: (skewMs: number) => void
}
