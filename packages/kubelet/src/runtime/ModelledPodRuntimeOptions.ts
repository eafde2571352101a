import type { Pod } from "@rollcall/api"

/** The exit of a container that does not run forever. */
export interface ContainerEnd {
  readonly afterMs: number
  readonly exitCode: number
}

export interface ModelledPodRuntimeOptions {
  /** From the start request for a pod until its first containers run: sandbox and images. */
  readonly startMs?: number
  /** From the restart request for one container until it runs. */
  readonly restartMs?: number
  /** How long an init container runs. */
  readonly initMs?: number
  /** How long containers take to stop; never longer than the grace period. */
  readonly stopMs?: number
  /** Their exit code after SIGTERM. */
  readonly stopExitCode?: number
  /** How a container exits by itself; undefined: it does not. */
  readonly outcome?: (pod: Pod, container: string) => ContainerEnd | undefined
  /** Pods that are Running in the API when the kubelet first sees them do run. */
  readonly adopts?: boolean
  /**
   * The range of pod addresses until the Node has a podCIDR: no other node's. Absent: 10.244.0.0/24, which suits a
   * single kubelet. `await`: the network is not ready before, and pods wait.
   */
  readonly podCIDR?: string
}
