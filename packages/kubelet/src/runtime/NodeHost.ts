import type { NodeAddress, NodeRuntimeHandler, ResourceList } from "@rollcall/api"
import type { MachineNetwork } from "../node/NodeAddresses.ts"
import type { RuntimeImage, Versions } from "../node/NodeInfo.ts"

/** The resources of device plugins. */
export interface DeviceResources {
  readonly capacity: ResourceList
  readonly allocatable: ResourceList
  /** The resources of plugins that were removed, which the Node shows as 0. */
  readonly removed: ReadonlyArray<string>
}

/** The properties of a machine that a Node object shows. */
export interface Machine {
  /** cpu, memory, ephemeral-storage, huge pages, extended resources; `pods` if the machine has a limit of its own. */
  readonly capacity: ResourceList
  /** The resources that pods may use; absent if they are computed from reservations. */
  readonly allocatable?: ResourceList
  /** The InternalIP and the Hostname, in this order. */
  readonly addresses: ReadonlyArray<NodeAddress>
  /** The port of its kubelet; absent if that is the one of the configuration. */
  readonly kubeletPort?: number
  readonly operatingSystem: string
  readonly architecture: string
  readonly machineID: string
  readonly systemUUID: string
  /** Changes with every boot. */
  readonly bootID: string
  readonly versions: Versions
  /** The images, the largest first. */
  readonly images: ReadonlyArray<RuntimeImage>
  /** The size of the swap: 0 if there is none; absent if it is not known, which is treated as none. */
  readonly swapBytes?: number
  /** The version of its control groups; default 2. */
  readonly cgroupVersion?: 1 | 2
  /** Whether its kernel can limit the swap of a control group; default true. */
  readonly swapController?: boolean
  /** Whether its kernel can keep a tmpfs out of swap; default true. */
  readonly tmpfsNoSwap?: boolean
  /** Whether its kernel enforces AppArmor profiles; default true. */
  readonly appArmor?: boolean
  /**
   * Its network, from which the kubelet chooses addresses; only the Hostname of `addresses` is used then. Absent if the
   * node has these `addresses`, unless `--node-ip` is set.
   */
  readonly network?: MachineNetwork
  /** Resources of device plugins, in addition to `capacity`. */
  readonly devices?: DeviceResources
  /** The handlers of its container runtime; absent if the runtime does not report them. */
  readonly runtimeHandlers?: ReadonlyArray<NodeRuntimeHandler>
  /** Whether its runtime supports `supplementalGroupsPolicy`; default true. */
  readonly supplementalGroupsPolicy?: boolean
  /** The attachable volumes that are mounted; absent while they are not known, and the Node's list is kept. */
  readonly volumesInUse?: ReadonlyArray<string>
  /** The unmet requirements of the container manager, which the Ready condition shows as a warning. */
  readonly softRequirements?: string
  /**
   * Whether it was recreated with its old name: extended resources of its Node are ignored until device plugins have
   * registered.
   */
  readonly recreated?: boolean
  /**
   * What could not be read. For `info`, cpu and memory count as 0; versions stay unchanged; images become an empty
   * list.
   */
  readonly unreadable?: ReadonlyArray<"images" | "info" | "versions">
}

/** The cloud's data about the machine. */
export interface MachineInCloud {
  readonly providerID: string
  readonly labels: Readonly<Record<string, string>>
}

/** A reading of one resource that can run out. */
export interface ResourceReading {
  /** Available bytes, inodes or process numbers. */
  readonly available: number
  readonly capacity: number
  /** When it was measured, in milliseconds of the kubelet's timers. */
  readonly atMs: number
}

/** One pod's usage of the machine. Values that are not known are absent. */
export interface PodUsage {
  readonly memoryBytes?: number
  readonly processes?: number
  /**
   * The usage that counts against the pod's ephemeral-storage limit; absent if it is computed from containers and
   * volumes.
   */
  readonly ephemeralStorageBytes?: number
  readonly containers?: Readonly<
    Record<
      string,
      {
        readonly memoryBytes?: number
        readonly swapBytes?: number
        readonly rootfsBytes?: number
        readonly logsBytes?: number
        readonly rootfsInodes?: number
        readonly logsInodes?: number
      }
    >
  >
  readonly volumes?: Readonly<Record<string, { readonly usedBytes?: number; readonly inodesUsed?: number }>>
}

/** The machine's resources by eviction signal, and the usage of its pods. */
export interface HostReadings {
  readonly signals: Readonly<Record<string, ResourceReading>>
  readonly podUsage: (uid: string) => PodUsage | undefined
  /** The used swap in bytes; absent if it is not known. */
  readonly swapUsedBytes?: number
  /**
   * Whether images are on a filesystem of their own. Containers' writable layers are there too, or with
   * `splitContainers` on the node's filesystem.
   */
  readonly dedicatedImageFs: boolean
  readonly splitContainers: boolean
}

/** The resources of a machine that can run out, for node-pressure eviction. */
export interface HostResources {
  readonly read: () => HostReadings
  /**
   * Registers a listener for changes. A host without this method is read every 10 s, a host with it only after changes.
   */
  readonly onChange?: (listener: () => void) => void
  /** Removes dead containers or unused images, and calls `done` at the end; absent if the host cannot do that. */
  readonly reclaim?: (what: "containers" | "images", done: () => void) => void
}

/**
 * The port to the machine that a kubelet runs on. Each update of the status calls `machine`, which returns the same
 * object while nothing changes.
 */
export interface NodeHost {
  readonly machine: () => Machine
  /**
   * Asks the cloud for the machine, as kubelets did before clouds had controllers; `machine` then has the cloud's
   * addresses. While this returns undefined, the kubelet does not register. Absent if there is no cloud to ask.
   * Upstream until 1.30: pkg/kubelet/kubelet_node_status.go initialNode, kl.cloud.
   */
  readonly askCloud?: () => MachineInCloud | undefined
  /** Handles a reboot of the machine, after which it has a new boot id. */
  readonly booted: () => void
  /** The resources that can run out; absent if none can. */
  readonly resources?: HostResources | undefined
}
