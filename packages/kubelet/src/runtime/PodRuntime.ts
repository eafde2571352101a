import type { Pod } from "@rollcall/api"
import type { ProbeOutcomes } from "./ProbeOutcomes.ts"

/** Why a container could not be started: `ErrImagePull`, and what the registry said. */
export interface StartFailure {
  readonly reason: string
  readonly message: string
}

/** Where a runtime tells what became of a pod. Each pod has its own. */
export interface PodObserver {
  /** Sandbox and containers are up. */
  readonly started: (podIP: string) => void
  /** The sandbox is up, and no container yet. */
  readonly sandboxReady: (podIP: string) => void
  /** One container is up, or up again. */
  readonly containerStarted: (name: string) => void
  /** One container could not be started. */
  readonly containerFailed: (name: string, failure: StartFailure) => void
  /** One container ended: by itself, or because it was asked to. */
  readonly containerExited: (name: string, exitCode: number) => void
  /** All containers have ended, as was asked; those that were not told of before, with this exit code. */
  readonly stopped: (exitCode: number) => void
  /** Something about the pod that people should know. */
  readonly warned: (reason: string, message: string) => void
}

/** What a runtime does with single containers of a pod. Calls return at once, as those of `PodRuntime` do. */
export interface ContainerRuntime {
  /** Gives the pod a network; `sandboxReady` follows. */
  readonly startSandbox: (pod: Pod, observer: PodObserver) => void
  /** Starts a container for the first time in its sandbox, or again; `containerStarted` or `containerFailed` follows. */
  readonly startContainer: (pod: Pod, container: string, again: boolean, observer: PodObserver) => void
  /** Ends one container within the grace period; `containerExited` follows. */
  readonly stopContainer: (pod: Pod, container: string, graceSeconds: number, observer: PodObserver) => void
  /** How the probes of a container come out; undefined: well. */
  readonly probeOutcomes: (pod: Pod, container: string, observer: PodObserver) => ProbeOutcomes | undefined
}

/**
 * The port to what runs the containers of one node. Calls return at once; the observer is told later, never within the call.
 * Containers go on while the kubelet is down.
 */
export interface PodRuntime {
  /** Brings the pod up as a whole; `started` follows. */
  readonly start: (pod: Pod, observer: PodObserver) => void
  /** Starts one container again in the pod's sandbox; `containerStarted` follows. */
  readonly restart: (pod: Pod, container: string, observer: PodObserver) => void
  /**
   * Ends the pod's containers within the grace period; `stopped` follows when the last has ended. Asked again with less grace,
   * it hurries.
   */
  readonly stop: (pod: Pod, graceSeconds: number, observer: PodObserver) => void
  /** From which ranges pods get their addresses from now on, comma-joined. */
  readonly setPodCIDR: (cidrs: string) => void
  /** Why the network is not ready, as the Ready condition of the Node says it; undefined, or absent: it is. */
  readonly networkProblem?: () => string | undefined
  /** All containers of the pod have ended by themselves: its sandbox goes, and its address is free. */
  readonly removeSandbox?: (pod: Pod) => void
  /** Does it run the containers of this pod, from before the kubelet was started? */
  readonly runs: (pod: Pod, observer: PodObserver) => boolean
  /** The machine loses power: everything is gone and nothing is told any more. */
  readonly powerOff: () => void
  /**
   * Pods with init containers, probes, a deadline or a behaviour of their own are brought up container by container. Absent: as
   * a whole, like all others.
   */
  readonly containers?: ContainerRuntime
}
