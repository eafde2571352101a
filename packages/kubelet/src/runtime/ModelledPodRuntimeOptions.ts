import type { Pod } from "@rollcall/api"

/** The exit of a container that does not run forever. */
export interface ContainerEnd {
  readonly afterMs: number
  readonly exitCode: number
}

/** The images of a modelled node and of the registry that it asks. */
export interface ModelledImageOptions {
  /** The images that are there from the start. */
  readonly present?: ReadonlyArray<string>
  /** How long the pull of an image takes; default 0. */
  readonly pullMs?: number
  /** How long the pulls of these images take instead. */
  readonly pullMsOf?: Readonly<Record<string, number>>
  /** The images that the registry does not have. */
  readonly missing?: ReadonlyArray<string>
  /** The size of each image; default 100 MiB. */
  readonly sizeBytes?: number
  /** The sizes of these images instead. */
  readonly sizeBytesOf?: Readonly<Record<string, number>>
  /**
   * The repositories that let only one user in: `user:password` by the beginning of their names, such as `registry.example` or
   * `registry.example/team`.
   */
  readonly credentials?: Readonly<Record<string, string>>
  /** The docker config file of the machine, with which it pulls for all pods: `user:password` by registry. */
  readonly dockerConfig?: Readonly<Record<string, string>>
}

/** The timing and the outcomes of simulated containers without a behaviour of their own. */
export interface ModelledPodRuntimeOptions {
  /** The time from the start request for a pod until its first containers run, for sandbox and images; default 1 s. */
  readonly startMs?: number
  /** The time from the restart request for one container until it runs; default 0.5 s. */
  readonly restartMs?: number
  /** How long an init container runs; default 0. */
  readonly initMs?: number
  /** How long containers take to stop, at most their grace period; default 1 s. */
  readonly stopMs?: number
  /** Their exit code after SIGTERM; default 0. */
  readonly stopExitCode?: number
  /** Returns how a container exits by itself, or undefined if it does not. */
  readonly outcome?: (pod: Pod, container: string) => ContainerEnd | undefined
  /** Whether pods that are Running in the API when the kubelet first sees them do run; default true. */
  readonly adopts?: boolean
  /**
   * The range of pod addresses until the Node has a podCIDR, which no other node may use; default 10.244.0.0/24, for a
   * single kubelet. With `await` the network is not ready until then, and pods wait.
   */
  readonly podCIDR?: string
  /** Which images the node has. Absent if every image is there, so that no pull takes time unless a behaviour says so. */
  readonly images?: ModelledImageOptions
  /** The handlers of RuntimeClasses that the node has, besides its default one; absent if it has all. */
  readonly runtimeHandlers?: ReadonlyArray<string>
}
