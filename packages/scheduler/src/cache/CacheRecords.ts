import type { Node, Pod, Toleration } from "@rollcall/api"
import type { AffinityTerms } from "./AffinityTerms.ts"
import type { PodDemand } from "./PodDemand.ts"
import type { PodVolumes } from "./PodVolumes.ts"
import type { TaintSet } from "./TaintSets.ts"

// The content of the cache: nodes, their pods, and classes of equal pods. They refer to each other.

export interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

/**
 * A pod with derived values that scheduling needs, computed once. Upstream: pkg/scheduler/framework/types.go PodInfo.
 */
export interface PodInfo {
  readonly key: string
  /** The newest version of the pod: replaced while nothing else here changes. */
  pod: Pod
  readonly namespace: string
  readonly name: string
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly tolerations: ReadonlyArray<Toleration>
  readonly requests: PodDemand
  readonly hostPorts: ReadonlyArray<HostPort>
  /** Undefined when its volumes do not restrict its nodes. */
  readonly volumes: PodVolumes | undefined
  readonly podClass: PodClass
  readonly terminating: boolean
}

export interface PodCount {
  /** Pods of the class on a node. */
  all: number
  /** Those that are not terminating. */
  live: number
}

/**
 * Pods that are equal to other pods: same namespace, labels and inter-pod affinity. Replicas of one set are one class,
 * so that counting matching pods iterates over classes and nodes, not over pods.
 */
export class PodClass {
  readonly key: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly terms: AffinityTerms | undefined
  readonly nodes = new Map<NodeInfo, PodCount>()
  readonly matchedBy = new Set<Matching>()

  constructor(
    key: string,
    namespace: string,
    labels: Readonly<Record<string, string>>,
    terms: AffinityTerms | undefined
  ) {
    this.key = key
    this.namespace = namespace
    this.labels = labels
    this.terms = terms
  }
}

export type ClassPredicate = (podClass: PodClass) => boolean

export interface Matching {
  readonly key: string
  readonly predicate: ClassPredicate
  readonly classes: Set<PodClass>
}

const noLabels: Readonly<Record<string, string>> = {}

/**
 * A node with its allocatable resources and its pods' requests, as plain numbers (cpu in milli, the rest in whole
 * units). Changed only by the SchedulingCache. Upstream: pkg/scheduler/framework/types.go NodeInfo.
 */
export class NodeInfo {
  readonly name: string
  /** Undefined while only pods refer to this node. */
  node: Node | undefined = undefined
  /** Its index in the cache's node order. */
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
  /** With 100m and 200 MiB for containers without requests: the basis of the least-allocated score. */
  nonZeroCpu = 0
  nonZeroMemory = 0

  readonly pods = new Set<PodInfo>()
  /** The size of `pods`, kept for fast access in each cycle. */
  podCount = 0
  readonly podsWithHostPorts = new Set<PodInfo>()
  /** Undefined until there is one. */
  podsWithVolumes: Set<PodInfo> | undefined = undefined
  /** Names of the node's images that the cache's image index contains. */
  images: ReadonlyArray<string> = []

  constructor(name: string, taintSet: TaintSet) {
    this.name = name
    this.taintSet = taintSet
  }

  addPod(info: PodInfo): void {
    this.pods.add(info)
    this.podCount = this.pods.size
    if (info.hostPorts.length > 0) this.podsWithHostPorts.add(info)
    if (info.volumes !== undefined) {
      this.podsWithVolumes ??= new Set()
      this.podsWithVolumes.add(info)
    }
    this.count(info, 1)
  }

  removePod(info: PodInfo): void {
    this.pods.delete(info)
    this.podCount = this.pods.size
    if (info.hostPorts.length > 0) this.podsWithHostPorts.delete(info)
    if (info.volumes !== undefined) this.podsWithVolumes?.delete(info)
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
