import type { Node, ResourceList } from "@rollcall/api"
import type { KubeletConfig, StaticPodManifest } from "@rollcall/kubelet"
import type { Checkpoint, MachineTopology } from "@rollcall/topology"
import type { InitialHealth } from "./InitialHealth.ts"

/** What makes one machine: where it is, what it has, and how it gets to the API server. */
export interface MachineSpec {
  readonly name: string
  readonly group: string | undefined
  readonly config: KubeletConfig
  readonly capacity: ResourceList
  /** Absent: nothing is known of its sockets and NUMA nodes. */
  readonly topology?: MachineTopology
  /** Absent: it has none. */
  readonly swapBytes?: number
  /** Pods that its kubelet runs from manifests of its own. */
  readonly staticPods?: ReadonlyArray<StaticPodManifest>
  /** Where its resource managers keep what they hand out; absent: with the machine. */
  readonly checkpoint?: Checkpoint
  /** The Node that a snapshot or a manifest shows of it. */
  readonly node?: Node
  /** What was wrong with it when its cluster was read; absent: nothing. */
  readonly health?: InitialHealth
  /** Where its pods' addresses come from until its Node has a podCIDR; `await`: its network is not ready until then. */
  readonly podCIDR?: string
}
