import type { Kubelet } from "@rollcall/kubelet"

/** A machine, as far as its shutdown knows it. */
export interface ShutdownMachine {
  /** It has power. */
  readonly powered: boolean
  readonly kubelet: Pick<Kubelet, "activePods" | "killPod" | "nodeEvent" | "running" | "syncNodeStatus">
  /** It loses power. */
  readonly crash: () => void
}
