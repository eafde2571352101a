import type { Kubelet } from "@rollcall/kubelet"

/** A machine, as its shutdown needs it. */
export interface ShutdownMachine {
  /** Whether it has power. */
  readonly powered: boolean
  readonly kubelet: Pick<Kubelet, "activePods" | "killPod" | "nodeEvent" | "running" | "syncNodeStatus">
  /** Powers it off. */
  readonly crash: () => void
}
