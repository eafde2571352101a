import type { Kubelet } from "@rollcall/kubelet"

/** The part of a machine that its shutdown needs. */
export interface ShutdownMachine {
  /** Whether it has power. */
  readonly powered: boolean
  readonly kubelet: Pick<Kubelet, "activePods" | "killPod" | "nodeEvent" | "running" | "syncNodeStatus">
  /** Powers it off. */
  readonly crash: () => void
}
