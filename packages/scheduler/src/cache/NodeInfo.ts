import type { Node } from "@rollcall/api"
import type { PodInfo } from "./PodInfo.ts"
import type { TaintSet } from "./TaintSets.ts"

const noLabels: Readonly<Record<string, string>> = {}

/**
 * A node as the scheduler sees it: its offer and what its pods ask of it, as plain numbers (cpu in milli, the rest in whole
 * units). Changed only by the SchedulingCache. Upstream: pkg/scheduler/framework/types.go NodeInfo.
 */
export class NodeInfo {
  readonly name: string
  /** Undefined while only pods speak of this node. */
  node: Node | undefined = undefined
  /** Place in the cache's node order. */
  position = -1
  zone = ""
  labels: Readonly<Record<string, string>> = noLabels
  unschedulable = false
  taintSet: TaintSet

  allocatableCpu = 0
  allocatableMemory = 0
  allocatableEphemeral = 0
  allocatablePods = 0
  /** By resource slot. */
  allocatableScalars: Array<number> = []

  requestedCpu = 0
  requestedMemory = 0
  requestedEphemeral = 0
  requestedScalars: Array<number> = []
  /** With 100m and 200 MiB for containers that ask for nothing: what the least-allocated score counts. */
  nonZeroCpu = 0
  nonZeroMemory = 0

  readonly pods = new Set<PodInfo>()
  /** The size of `pods`, at hand for each node of each cycle. */
  podCount = 0
  readonly podsWithHostPorts = new Set<PodInfo>()
  /** Names of images on the node that the cache's image index knows. */
  images: ReadonlyArray<string> = []

  constructor(name: string, taintSet: TaintSet) {
    this.name = name
    this.taintSet = taintSet
  }

  addPod(info: PodInfo): void {
    this.pods.add(info)
    this.podCount = this.pods.size
    if (info.hostPorts.length > 0) this.podsWithHostPorts.add(info)
    this.count(info, 1)
  }

  removePod(info: PodInfo): void {
    this.pods.delete(info)
    this.podCount = this.pods.size
    if (info.hostPorts.length > 0) this.podsWithHostPorts.delete(info)
    this.count(info, -1)
  }

  private count({ requests }: PodInfo, sign: 1 | -1): void {
    this.requestedCpu += sign * requests.cpu
    this.requestedMemory += sign * requests.memory
    this.requestedEphemeral += sign * requests.ephemeral
    this.nonZeroCpu += sign * requests.nonZeroCpu
    this.nonZeroMemory += sign * requests.nonZeroMemory
    for (const { amount, slot } of requests.scalars) {
      this.requestedScalars[slot] = (this.requestedScalars[slot] ?? 0) + sign * amount
    }
  }
}
