import type { NodeAddress, NodeRuntimeHandler, ResourceList } from "@rollcall/api"
import type { MachineNetwork } from "../node/NodeAddresses.ts"
import type { RuntimeImage, Versions } from "../node/NodeInfo.ts"

/** Resources that device plugins give. Those of a plugin that is gone are reported as 0. */
export interface DeviceResources {
  readonly capacity: ResourceList
  readonly allocatable: ResourceList
  readonly removed: ReadonlyArray<string>
}

/** What a machine is, as far as a Node object tells. */
export interface Machine {
  /** cpu, memory, ephemeral-storage, huge pages, extended resources; `pods` where the machine's own limit is known. */
  readonly capacity: ResourceList
  /** What pods may use, where it is known and not to be worked out from reservations. */
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
  /** 0: it has none. Absent: not known, and taken for none. */
  readonly swapBytes?: number
  /** 2 unless it says otherwise. */
  readonly cgroupVersion?: 1 | 2
  /** Its kernel can limit the swap of a control group; it can unless it says otherwise. */
  readonly swapController?: boolean
  /** Its kernel can keep a tmpfs out of swap; it can unless it says otherwise. */
  readonly tmpfsNoSwap?: boolean
  /** Its kernel enforces AppArmor profiles; it does unless it says otherwise. */
  readonly appArmor?: boolean
  /**
   * How it is reached, for the kubelet to choose its addresses from; of `addresses` then only the Hostname counts. Absent:
   * `addresses` are the node's, unless `--node-ip` says otherwise.
   */
  readonly network?: MachineNetwork
  /** What device plugins have to give, besides `capacity`. */
  readonly devices?: DeviceResources
  /** What its container runtime can run pods with. Absent: the runtime does not say. */
  readonly runtimeHandlers?: ReadonlyArray<NodeRuntimeHandler>
  /** Its runtime honours `supplementalGroupsPolicy`; it does unless it says otherwise. */
  readonly supplementalGroupsPolicy?: boolean
  /** Attachable volumes that are mounted. Absent: nobody has looked yet, and the Node's list stays. */
  readonly volumesInUse?: ReadonlyArray<string>
  /** What the container manager would rather have; a warning beside the Ready condition. */
  readonly softRequirements?: string
  /**
   * It was made anew under its old name: what its Node says of extended resources counts for nothing until device plugins have
   * spoken.
   */
  readonly recreated?: boolean
  /** What could not be read just now: cpu and memory (`info`), which count as 0, versions, which stay, images, which are emptied. */
  readonly unreadable?: ReadonlyArray<"images" | "info" | "versions">
}

/** What a cloud says of the machine. */
export interface MachineInCloud {
  readonly providerID: string
  readonly labels: Readonly<Record<string, string>>
}

/** One resource of the machine that can run out, at one moment. */
export interface ResourceReading {
  /** Bytes, inodes or process numbers that are left. */
  readonly available: number
  readonly capacity: number
  /** When it was measured, milliseconds of the world's clock. */
  readonly atMs: number
}

/** What one pod uses of the machine. What is not known is absent. */
export interface PodUsage {
  readonly memoryBytes?: number
  readonly processes?: number
  /** All that counts against the pod's ephemeral-storage limit; worked out from containers and volumes where it is absent. */
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

/** The machine's resources by eviction signal, and what its pods use. */
export interface HostReadings {
  readonly signals: Readonly<Record<string, ResourceReading>>
  readonly podUsage: (uid: string) => PodUsage | undefined
  /** What of the machine's swap is in use, in bytes; 0: nothing was swapped out. Absent: not known. */
  readonly swapUsedBytes?: number
  /** Images lie on a filesystem of their own; containers' writable layers with them, or (`splitContainers`) on the node's. */
  readonly dedicatedImageFs: boolean
  readonly splitContainers: boolean
}

/** What of a machine can run out, for node-pressure eviction. */
export interface HostResources {
  readonly read: () => HostReadings
  /** A host whose figures move by themselves is read every 10 s; one that has this tells when they do, and is read then only. */
  readonly onChange?: (listener: () => void) => void
  /** Removes dead containers, or images that nobody uses; `done` when it is over. */
  readonly reclaim?: (what: "containers" | "images", done: () => void) => void
}

/**
 * The port to the machine that a kubelet runs on: what machine is this? `machine` is read by each status pass; it answers the
 * same value for as long as nothing changed.
 */
export interface NodeHost {
  readonly machine: () => Machine
  /**
   * Asks the cloud that the machine is of, as kubelets did themselves before clouds had controllers: without an answer
   * (undefined) they do not register. What it says of addresses, `machine` shows from then on. Absent: nobody is asked.
   * Upstream until 1.30: pkg/kubelet/kubelet_node_status.go initialNode, kl.cloud.
   */
  readonly askCloud?: () => MachineInCloud | undefined
  /** The machine was started anew: from now on it has another boot id. */
  readonly booted: () => void
  /** Absent: nothing of it ever runs out by itself. */
  readonly resources?: HostResources | undefined
}
