import type { Node, ResourceList } from "@rollcall/api"
import type { KubeletConfig, ModelledImageOptions, StaticPodManifest } from "@rollcall/kubelet"
import type { Checkpoint, MachineTopology } from "@rollcall/topology"
import type { InitialHealth } from "./InitialHealth.ts"

/** The definition of one machine: its group, its kubelet's configuration, and its resources. */
export interface MachineSpec {
  readonly name: string
  readonly group: string | undefined
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  /** Its sockets and NUMA nodes; absent if they are not known. */
  readonly topology?: MachineTopology
  /** Absent if it has no swap. */
  readonly swapBytes?: number
  /** Its images, and those of the registry that its kubelet asks; absent if every image is there. */
  readonly images?: ModelledImageOptions
  /** The handlers of its container runtime besides the default one; absent if it has all that are asked for. */
  readonly runtimeHandlers?: ReadonlyArray<string>
  /** The static pods of its kubelet. */
  readonly staticPods?: ReadonlyArray<StaticPodManifest>
  /** Where its resource managers keep their state; absent if they keep it in memory, as long as the machine exists. */
  readonly checkpoint?: Checkpoint
  /** Where its kubelet is reached; absent if its address exists only in the model. */
  readonly reachedAt?: { readonly address: string; readonly port: number } | undefined
  /** Its Node in a snapshot or a manifest; absent if its kubelet registers it. */
  readonly node?: Node
  /** Its health problems in the snapshot; absent if it had none. */
  readonly health?: InitialHealth
  /** The address range of its pods until its Node has a podCIDR. With `await` its network is not ready until then. */
  readonly podCIDR?: string
}
