import type { Node } from "@rollcall/api"
import type { ControlledHost, Kubelet, PressureKind } from "@rollcall/kubelet"
import type { ResourceManagers } from "@rollcall/topology"
import type { Link } from "./link/Link.ts"
import type { MachineShutdown } from "./shutdown/MachineShutdown.ts"

/** A machine with its kubelet, and the network between it and the API server. */
export interface Machine {
  readonly name: string
  readonly group: string | undefined
  readonly host: ControlledHost
  readonly kubelet: Kubelet
  readonly link: Link
  readonly shutdown: MachineShutdown
  /** What hands out its processors, memory and devices; undefined: its kubelet is configured to have nothing of the sort. */
  readonly managers: ResourceManagers | undefined
  /** The Node as this machine's kubelet has registered it long ago; undefined where the plan shows it. */
  readonly registered: Node | undefined
  /** Lets the machine begin: well, or as its cluster was when it was read. */
  readonly start: () => void
  /** It has power. */
  readonly powered: boolean
  /** It loses power: the process of its kubelet and its containers are gone. */
  readonly crash: () => void
  /** Starts it anew, with another boot id, and its kubelet with it: it is well then, however it began. */
  readonly boot: () => void
  /** Its link is whole again: what its kubelet does about that, if its model knows of such a thing. */
  readonly reconnect: () => void
  /** Its node says that it is under pressure, whatever is measured. */
  readonly setPressure: (kind: PressureKind, underPressure: boolean) => void
  readonly setRuntimeDown: (down: boolean) => void
  readonly setNetworkUnavailable: (unavailable: boolean) => void
  /** How far its clock is ahead, from now on. */
  readonly setClockSkew: (skewMs: number) => void
}
