import type { Pod } from "@rollcall/api"
import type * as Result from "effect/Result"
import type { DockerConfig, RegistryCredentials } from "../credentials/dockerConfig.ts"
import type { ContainerEnd } from "./ModelledPodRuntimeOptions.ts"
import type { ProbeOutcomes, SeenProbes } from "./ProbeOutcomes.ts"

/** Why a container could not be started: a reason such as `ErrImagePull`, and the registry's message. */
export interface StartFailure {
  readonly reason: string
  readonly message: string
}

/** The callbacks of a runtime about one pod. */
export interface PodObserver {
  /** Sandbox and containers have started. */
  readonly started: (podIP: string) => void
  /** The sandbox has started, and no container yet. */
  readonly sandboxReady: (podIP: string) => void
  /** One container was started or restarted. */
  readonly containerStarted: (name: string) => void
  /** One container could not be started. */
  readonly containerFailed: (name: string, failure: StartFailure) => void
  /** One container exited: by itself, or because it was stopped. The message is what it left for its status. */
  readonly containerExited: (name: string, exitCode: number, message?: string) => void
  /** All containers have stopped, as requested. Those whose exit was not reported have this exit code. */
  readonly stopped: (exitCode: number) => void
  /** A warning to record as an Event about the pod. */
  readonly warned: (reason: string, message: string) => void
}

/** The operations of a runtime on single containers of a pod. Calls return at once, as those of `PodRuntime` do. */
export interface ContainerRuntime {
  /** Starts the pod's sandbox with its network; `sandboxReady` follows. */
  readonly startSandbox: (pod: Pod, observer: PodObserver) => void
  /**
   * Starts a container for the first time in its sandbox, or again; `containerStarted` or `containerFailed` follows.
   */
  readonly startContainer: (pod: Pod, container: string, isRestart: boolean, observer: PodObserver) => void
  /** Stops one container within the grace period; `containerExited` follows. */
  readonly stopContainer: (pod: Pod, container: string, graceSeconds: number, observer: PodObserver) => void
  /**
   * Ends a running container by itself with this code, and what it leaves for its status: `containerExited` follows. Absent if
   * containers cannot be told to.
   */
  readonly exitContainer?: (
    pod: Pod,
    container: string,
    exitCode: number,
    observer: PodObserver,
    message?: string
  ) => void
  /** Handles a changed annotation of a pod that runs: what its containers use. Absent if that is measured. */
  readonly podChanged?: (pod: Pod, observer: PodObserver) => void
  /** Receives, once, what carries out commands in containers. Absent if containers have processes. */
  readonly followWith?: (commands: ContainerCommands) => void
  /**
   * Returns the outcomes of a container's probes, or undefined if all pass. Those that `seen` has are so from now on,
   * unless the runtime has another reason for them.
   */
  readonly probeOutcomes: (
    pod: Pod,
    container: string,
    observer: PodObserver,
    seen?: SeenProbes
  ) => ProbeOutcomes | undefined
  /** Returns how the postStart hook of a container ends that has just started, unless the hook is a sleep. */
  readonly postStartEnd?: (pod: Pod, container: string, observer: PodObserver) => HookEnd | undefined
  /** Returns how the preStop hook of a container ends that is about to be stopped; undefined if it has none. */
  readonly preStopEnd?: (pod: Pod, container: string, observer: PodObserver) => HookEnd | undefined
  /** The images of the node. Absent if every image is there. */
  readonly images?: ImageService
}

/** What carries out commands in containers, with their files and variables. */
export interface ContainerCommands {
  /**
   * Follows the command of a container that starts now, or that had started before (`hasStarted`), and calls `exited` once it
   * ends, with its termination message; a command that depends on what is not modelled does not. Returns a function that stops it.
   */
  readonly follow: (
    pod: Pod,
    container: string,
    hasStarted: boolean,
    exited: (exitCode: number, message: string) => void
  ) => () => void
  /**
   * Returns which probes of a container pass that look at files, if they are known without its command: those of volumes, and
   * those that its image does not have.
   */
  readonly lookAtProbes: (pod: Pod, container: string) => SeenProbes
  /** Carries out the command of a hook, and returns how it ends; undefined if that is not modelled. */
  readonly runHook: (pod: Pod, container: string, command: ReadonlyArray<string>) => ContainerEnd | undefined
}

/** The end of a hook, and the message of its failure. */
export interface HookEnd {
  readonly afterMs: number
  readonly failure?: string
}

/** Devices of a container under the name of their resource or claim, and how each of them is. */
export interface AllocatedResource {
  readonly name: string
  readonly resources: ReadonlyArray<{
    readonly resourceID: string
    readonly health: "Healthy" | "Unhealthy" | "Unknown"
    readonly message?: string
  }>
}

/** An image on a node. */
export interface StoredImage {
  /** Its name for the runtime. */
  readonly ref: string
  readonly sizeBytes: number
  /** Whether it is never removed; default false. */
  readonly isPinned?: boolean
}

/** The images of a node. */
export interface ImageService {
  /** Whether a container's image is there; undefined if it is, and no registry is ever asked for it. */
  readonly hasImage: (pod: Pod, container: string, observer: PodObserver) => boolean | undefined
  /**
   * Pulls a container's image, with credentials for its registry or without any; `done` is called later with its size in bytes, or with
   * the message of the failure.
   */
  readonly pullImage: (
    pod: Pod,
    container: string,
    observer: PodObserver,
    done: (pulled: Result.Result<number, string>) => void,
    credentials?: RegistryCredentials
  ) => void
  /** Whether a registry must be asked for an image of the pod before it can start. */
  readonly mustPull: (pod: Pod) => boolean
  /** Lists the images; undefined, or absent, if none is known. */
  readonly listImages?: () => ReadonlyArray<StoredImage> | undefined
  /** The credentials in the docker config file of the machine, which are for all pods; undefined, or absent, without one. */
  readonly nodeCredentials?: () => DockerConfig | undefined
  /** Removes an image that no container uses. */
  readonly removeImage?: (ref: string) => void
}

/**
 * The port to the runtime of one node's containers. Calls return at once; the observer is called later, never within
 * the call. Containers keep running while the kubelet is down.
 */
export interface PodRuntime {
  /** Starts the pod as a whole; `started` follows. */
  readonly start: (pod: Pod, observer: PodObserver) => void
  /** Restarts one container in the pod's sandbox; `containerStarted` follows. */
  readonly restart: (pod: Pod, container: string, observer: PodObserver) => void
  /**
   * Whether the pod's sandbox is being made, which no stop interrupts: `started` or `sandboxReady` follows. Absent if
   * every start can be stopped.
   */
  readonly isStarting?: (pod: Pod, observer: PodObserver) => boolean
  /**
   * Stops the pod's containers within the grace period; `stopped` follows when the last has stopped. A repeated call
   * with a shorter grace period shortens the stop.
   */
  readonly stop: (pod: Pod, graceSeconds: number, observer: PodObserver) => void
  /** Sets the ranges of pod addresses, joined by commas. */
  readonly setPodCIDR: (cidrs: string) => void
  /**
   * Returns why the network is not ready, for the Ready condition of the Node; undefined, or absent, if it is ready.
   */
  readonly networkProblem?: () => string | undefined
  /**
   * Returns why the sandbox of a pod cannot be made by this handler of a RuntimeClass; undefined, or absent, if the
   * runtime has it.
   */
  readonly handlerProblem?: (handler: string) => string | undefined
  /** Removes the sandbox of a pod whose containers have all exited by themselves, and releases its address. */
  readonly removeSandbox?: (pod: Pod) => void
  /** Whether the runtime has run this pod since before the kubelet was started. */
  readonly runs: (pod: Pod, observer: PodObserver) => boolean
  /** Returns the devices that a container of the pod has. Absent if no container has any. */
  readonly deviceHealth?: (pod: Pod, container: string) => ReadonlyArray<AllocatedResource>
  /** Calls back as soon as the runtime responds. Absent if it always does. */
  readonly whenResponsive?: (request: () => void) => void
  /** Ends everything without callbacks, because the machine loses power. */
  readonly powerOff: () => void
  /**
   * Starts pods with init containers, probes, a deadline or a behaviour, container by container. Absent if these pods
   * are started as a whole, like all others.
   */
  readonly containers?: ContainerRuntime
}
