import type { Pod } from "@rollcall/api"

/** How a container that is not made to run for ever ends. */
export interface ContainerEnd {
  readonly afterMs: number
  readonly exitCode: number
}

export interface ModelledPodRuntimeOptions {
  /** From the order to start a pod until its first containers run: sandbox and images. */
  readonly startMs?: number
  /** From the order to restart one container until it runs. */
  readonly restartMs?: number
  /** How long an init container runs. */
  readonly initMs?: number
  /** How long containers take to end once asked; never longer than the grace period. */
  readonly stopMs?: number
  /** What they answer to SIGTERM. */
  readonly stopExitCode?: number
  /** How a container ends by itself; undefined: never. */
  readonly outcome?: (pod: Pod, container: string) => ContainerEnd | undefined
  /** Pods that the API calls Running when the kubelet first sees them do run. */
  readonly adopts?: boolean
  /**
   * Where pods' addresses come from until the Node has a podCIDR: no other node's. Absent: from 10.244.0.0/24, which suits a
   * kubelet that is alone. `await`: the network is not ready before, and pods wait.
   */
  readonly podCIDR?: string
}
