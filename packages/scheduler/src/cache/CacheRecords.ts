import type { Node, Pod, Toleration } from "@rollcall/api"
import type { AffinityTerms } from "./AffinityTerms.ts"
import type { PodDemand } from "./PodDemand.ts"
import type { PodVolumes } from "./PodVolumes.ts"
import type { TaintSet } from "./TaintSets.ts"

// The content of the cache: nodes, their pods, and classes of equal pods. They refer to each other.

/** A port of the node that a container uses; `ip` is 0.0.0.0 for all addresses. */
export interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

/**
 * A pod with derived values that scheduling needs, computed once. Upstream: pkg/scheduler/framework/types.go PodInfo.
 */
export interface PodInfo {
  /** See `podKey`. */
  readonly key: string
  /** The newest version of the pod. It is replaced in place when an update changes nothing else here. */
  pod: Pod
  readonly namespace: string
  readonly name: string
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly tolerations: ReadonlyArray<Toleration>
  readonly requests: PodDemand
  readonly hostPorts: ReadonlyArray<HostPort>
  /** Undefined if its volumes do not restrict its nodes. */
  readonly volumes: PodVolumes | undefined
  readonly podClass: PodClass
  /** Whether it has a deletion timestamp. */
  readonly terminating: boolean
}

/** The pods of one class on one node. */
export interface PodCount {
  all: number
  /** Those that are not terminating. */
  live: number
}

/**
 * All pods with the same namespace, labels and inter-pod affinity. The replicas of one set are one class, so that
 * counting matching pods iterates over classes and nodes, not over pods.
 */
export class PodClass {
  readonly key: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly terms: AffinityTerms | undefined
  readonly nodes = new Map<NodeInfo, PodCount>()
  /** The cached queries whose result contains this class. */
  readonly matchedBy = new Set<ClassQuery>()

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

/** A cached query for classes, whose result is kept up to date. `key` identifies the predicate. */
export interface ClassQuery {
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
  /** Undefined while pods name this node in spec.nodeName, but the node itself is unknown. */
  node: Node | undefined = undefined
  /** Its index in the cache's node order; -1 if it has none. */
  position = -1
  /** The cache's generation at the last change of this record, which no other record has. */
  generation = 0
  /** See `zoneKeyOf`. */
  zone = ""
  labels: Readonly<Record<string, string>> = noLabels
  unschedulable = false
  taintSet: TaintSet

  allocatableCpu = 0
  allocatableMemory = 0
  allocatableEphemeral = 0
  allocatablePods = 0
  /** Extended resources, by slot: see `ScalarDemand`. */
  allocatableScalars: Array<number> = []

  requestedCpu = 0
  requestedMemory = 0
  requestedEphemeral = 0
  requestedScalars: Array<number> = []
  /**
   * Requests in which containers without one count with 100m cpu and 200 MiB: the basis of the least-allocated score.
   */
  nonZeroCpu = 0
  nonZeroMemory = 0

  private readonly described = new Set<PodInfo>()
  /** Pods that are counted here, and are described when the pods of this node are read. */
  private undescribed: Array<Pod> = []
  private describeAll: ((pods: ReadonlyArray<Pod>, node: NodeInfo) => void) | undefined = undefined
  /** The size of `pods`, kept for fast access in each cycle. */
  podCount = 0
  readonly podsWithHostPorts = new Set<PodInfo>()
  /** Pods with volumes that restrict their nodes; undefined until there is one. */
  podsWithVolumes: Set<PodInfo> | undefined = undefined
  /** Names of the node's images that the cache's image index contains. */
  images: ReadonlyArray<string> = []

  constructor(name: string, taintSet: TaintSet) {
    this.name = name
    this.taintSet = taintSet
  }

  get pods(): ReadonlySet<PodInfo> {
    this.describePods()
    return this.described
  }

  /** Counts a pod that is like a described one; `describeAll` is called with all such pods when the pods of this node are read. */
  addUndescribed(pod: Pod, like: PodInfo, describeAll: (pods: ReadonlyArray<Pod>, node: NodeInfo) => void): void {
    this.undescribed.push(pod)
    this.describeAll = describeAll
    this.podCount++
    this.addRequests(like, 1)
  }

  describePods(): void {
    if (this.undescribed.length === 0) return
    const pods = this.undescribed
    this.undescribed = []
    this.describeAll?.(pods, this)
  }

  /** Adds a pod that is counted already. */
  addDescribed(info: PodInfo): void {
    this.described.add(info)
  }

  addPod(info: PodInfo): void {
    this.described.add(info)
    this.podCount++
    if (info.hostPorts.length > 0) this.podsWithHostPorts.add(info)
    if (info.volumes !== undefined) {
      this.podsWithVolumes ??= new Set()
      this.podsWithVolumes.add(info)
    }
    this.addRequests(info, 1)
  }

  removePod(info: PodInfo): void {
    this.described.delete(info)
    this.podCount--
    if (info.hostPorts.length > 0) this.podsWithHostPorts.delete(info)
    if (info.volumes !== undefined) this.podsWithVolumes?.delete(info)
    this.addRequests(info, -1)
  }

  private addRequests({ requests }: PodInfo, sign: 1 | -1): void {
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
