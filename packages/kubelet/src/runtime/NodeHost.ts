import type { NodeAddress, NodeRuntimeHandler, ResourceList } from "@rollcall/api"
import type { MachineNetwork } from "../node/NodeAddresses.ts"
import type { RuntimeImage, Versions } from "../node/NodeInfo.ts"

/** Resources of device plugins. Those of a removed plugin are reported as 0. */
export interface DeviceResources {
  readonly capacity: ResourceList
  readonly allocatable: ResourceList
  readonly removed: ReadonlyArray<string>
}

/** The properties of a machine that a Node object shows. */
export interface Machine {
  /** cpu, memory, ephemeral-storage, huge pages, extended resources; `pods` if the machine has a limit of its own. */
  readonly capacity: ResourceList
  /** What pods may use, if it is known and not computed from reservations. */
  readonly allocatable?: ResourceList
  /** InternalIP and Hostname, in this order. */
  readonly addresses: ReadonlyArray<NodeAddress>
  readonly operatingSystem: string
  readonly architecture: string
  readonly machineID: string
  readonly systemUUID: string
  /** Changes with every boot. */
  readonly bootID: string
  readonly versions: Versions
  /** Largest first. */
  readonly images: ReadonlyArray<RuntimeImage>
  /** 0: it has none. Absent: not known, and treated as none. */
  readonly swapBytes?: number
  /** Default: 2. */
  readonly cgroupVersion?: 1 | 2
  /** Whether its kernel can limit the swap of a control group; default true. */
  readonly swapController?: boolean
  /** Whether its kernel can keep a tmpfs out of swap; default true. */
  readonly tmpfsNoSwap?: boolean
  /** Whether its kernel enforces AppArmor profiles; default true. */
  readonly appArmor?: boolean
  /**
   * Its network, from which the kubelet chooses addresses; of `addresses` then only the Hostname is used. Absent:
   * `addresses` are the node's, unless `--node-ip` is set.
   */
  readonly network?: MachineNetwork
  /** Resources of device plugins, in addition to `capacity`. */
  readonly devices?: DeviceResources
  /** The handlers of its container runtime. Absent: the runtime does not report them. */
  readonly runtimeHandlers?: ReadonlyArray<NodeRuntimeHandler>
  /** Whether its runtime supports `supplementalGroupsPolicy`; default true. */
  readonly supplementalGroupsPolicy?: boolean
  /** Attachable volumes that are mounted. Absent: not known yet, and the Node's list is kept. */
  readonly volumesInUse?: ReadonlyArray<string>
  /** Unmet requirements of the container manager; a warning in the Ready condition. */
  readonly softRequirements?: string
  /**
   * Whether it was recreated with its old name: extended resources of its Node are ignored until device plugins have
   * registered.
   */
  readonly recreated?: boolean
  /** What could not be read: cpu and memory (`info`) count as 0, versions stay unchanged, images are emptied. */
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
  /** When it was measured, milliseconds of the world's clock. */
  readonly atMs: number
}

/** One pod's usage of the machine. Unknown values are absent. */
export interface PodUsage {
  readonly memoryBytes?: number
  readonly processes?: number
  /** Usage that counts against the pod's ephemeral-storage limit; computed from containers and volumes if absent. */
  readonly ephemeralStorageBytes?: number
  readonly containers?: Readonly<
    Record<
      string,
      {
        readonly memoryBytes?: number
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
  /** Used swap in bytes; 0: nothing was swapped out. Absent: not known. */
  readonly swapUsedBytes?: number
  /**
   * Images are on a separate filesystem; containers' writable layers with them, or (`splitContainers`) on the node's.
   */
  readonly dedicatedImageFs: boolean
  readonly splitContainers: boolean
}

/** The resources of a machine that can run out, for node-pressure eviction. */
export interface HostResources {
  readonly read: () => HostReadings
  /** A host without this is read every 10 s; a host with it reports its changes, and is only read then. */
  readonly onChange?: (listener: () => void) => void
  /** Removes dead containers, or unused images; calls `done` at the end. */
  readonly reclaim?: (what: "containers" | "images", done: () => void) => void
}

/**
 * The port to the machine that a kubelet runs on. `machine` is read by each status update; it returns the same object
 * while nothing changes.
 */
export interface NodeHost {
  readonly machine: () => Machine
  /**
   * Queries the machine's cloud, as kubelets did themselves before clouds had controllers: without an answer
   * (undefined) they do not register. `machine` then has the cloud's addresses. Absent: there is no cloud to query.
   * Upstream until 1.30: pkg/kubelet/kubelet_node_status.go initialNode, kl.cloud.
   */
  readonly askCloud?: () => MachineInCloud | undefined
  /** The machine was rebooted: it has a new boot id. */
  readonly booted: () => void
  /** Absent: nothing of it can run out. */
  readonly resources?: HostResources | undefined
}
