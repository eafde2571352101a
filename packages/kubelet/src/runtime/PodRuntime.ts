import type { Pod } from "@rollcall/api"

/** Where a runtime tells what became of a pod. Each pod has its own. */
export interface PodObserver {
  /** Sandbox and containers are up. */
  readonly started: (podIP: string) => void
  /** One container is up again. */
  readonly containerStarted: (name: string) => void
  /** One container ended by itself. */
  readonly containerExited: (name: string, exitCode: number) => void
  /** All containers have ended, as was asked. */
  readonly stopped: (exitCode: number) => void
}

/**
 * The port to what runs the containers of one node. Calls return at once; the observer is told later, never within the call.
 * Containers go on while the kubelet is down.
 */
export interface PodRuntime {
  /** Brings the pod up; `started` follows. */
  readonly start: (pod: Pod, observer: PodObserver) => void
  /** Starts one container again in the pod's sandbox; `containerStarted` follows. */
  readonly restart: (pod: Pod, container: string, observer: PodObserver) => void
  /**
   * Ends the pod's containers within the grace period; `stopped` follows, and nothing else before it. Asked again with less
   * grace, it hurries.
   */
  readonly stop: (pod: Pod, graceSeconds: number, observer: PodObserver) => void
  /** From which ranges pods get their addresses from now on, comma-joined. */
  readonly setPodCIDR: (cidrs: string) => void
  /** Does it run the containers of this pod, from before the kubelet was started? */
  readonly runs: (pod: Pod, observer: PodObserver) => boolean
  /** The machine loses power: everything is gone and nothing is told any more. */
  readonly powerOff: () => void
}
