import type { Node, ResourceList } from "@rollcall/api"
import type { KubeletConfig, StaticPodManifest } from "@rollcall/kubelet"
import type { Checkpoint, MachineTopology } from "@rollcall/topology"
import type { InitialHealth } from "./InitialHealth.ts"

/** The definition of one machine: its place, its resources, and its connection to the API server. */
export interface MachineSpec {
  readonly name: string
  readonly group: string | undefined
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  /** Absent: its sockets and NUMA nodes are not known. */
  readonly topology?: MachineTopology
  /** Absent: no swap. */
  readonly swapBytes?: number
  /** Static pods of its kubelet. */
  readonly staticPods?: ReadonlyArray<StaticPodManifest>
  /** Where its resource managers keep their state; absent: in the machine, until it is removed. */
  readonly checkpoint?: Checkpoint
  /** Its Node in a snapshot or a manifest. */
  readonly node?: Node
  /** Its health problems in the snapshot; absent: none. */
  readonly health?: InitialHealth
  /** The address range of its pods until its Node has a podCIDR; `await`: its network is not ready until then. */
  readonly podCIDR?: string
}
