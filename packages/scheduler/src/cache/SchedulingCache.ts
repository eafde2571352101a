import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Release,
  StorageClass,
  VolumeAttachment
} from "@rollcall/api"
import type { VolumePlan } from "../volumes/AssumedVolumes.ts"
import { readAllocatable } from "./allocatable.ts"
import { NodeInfo, type PodInfo } from "./CacheRecords.ts"
import { offersMore, requestsLess, shortagesOn } from "./fits.ts"
import { Images } from "./Images.ts"
import { isRelevant, type NodeChange, nodeChange } from "./NodeChange.ts"
import { NodeOrder, zoneKeyOf } from "./NodeOrder.ts"
import { type Placement, Placements } from "./Placements.ts"
import { PodClasses } from "./PodClasses.ts"
import { Demands, type PodDemand } from "./PodDemand.ts"
import type { PodDevices } from "./PodDevices.ts"
import { describePod, isLike, podKey } from "./PodInfo.ts"
import { RecentChanges } from "./RecentChanges.ts"
import { TaintSets } from "./TaintSets.ts"
import { type Topology, topologyOf } from "./Topology.ts"
import { Volumes } from "./Volumes.ts"
import { claimWatchKey, nodeWatchKey, volumeWatchKey, Watches } from "./Watches.ts"
import { Workloads } from "./Workloads.ts"

const noLabels: Readonly<Record<string, string>> = {}

/**
 * Nodes, the pods that are assigned or assumed there, and volumes. Each change is applied at once. Unlike upstream, a
 * cycle needs no snapshot, since nothing else runs during a cycle. Upstream: pkg/scheduler/backend/cache.
 */
export class SchedulingCache {
  readonly classes = new PodClasses()
  readonly images = new Images()
  readonly workloads = new Workloads()
  readonly volumes = new Volumes()
  /** Callbacks for changes of claims, volumes and nodes' labels. */
  readonly watches = new Watches()
  /** Increased by each change on which a decision could depend, unless devices changed: see KnownFailures. */
  generation = 0
  /** The devices that claims are allocated from; undefined until a pod uses claims. */
  devices: PodDevices | undefined = undefined
  /** The nodes that got their generation last. */
  readonly changes = new RecentChanges()
  private readonly demands: Demands
  private readonly podsFitBy: Release["podsFitBy"]
  private readonly taintSets = new TaintSets()
  private readonly nodesByName = new Map<string, NodeInfo>()
  private readonly order = new NodeOrder()
  private readonly topologies = new Map<string, Topology>()
  private readonly placements = new Placements((pod) => this.describe(pod))
  private readonly namespaceLabels = new Map<string, Readonly<Record<string, string>>>()

  constructor(podsFitBy: Release["podsFitBy"] = "requestsInAllocatable") {
    this.podsFitBy = podsFitBy
    this.demands = new Demands(podsFitBy)
  }

  /** The nodes in the order in which they are tried. */
  nodes(): ReadonlyArray<NodeInfo> {
    return this.order.list()
  }

  /** The node; undefined if it is unknown, even if pods are assigned to it. */
  node(name: string): NodeInfo | undefined {
    const info = this.nodesByName.get(name)
    return info?.node === undefined ? undefined : info
  }

  topology(key: string): Topology {
    const known = this.topologies.get(key)
    if (known !== undefined) return known
    const topology = topologyOf(key, this.nodes())
    this.topologies.set(key, topology)
    return topology
  }

  readonly labelsOfNamespace = (namespace: string): Readonly<Record<string, string>> =>
    this.namespaceLabels.get(namespace) ?? noLabels

  /** Sets the labels of a namespace; undefined if it was deleted. The other setters treat undefined alike. */
  setNamespace(name: string, labels: Readonly<Record<string, string>> | undefined): void {
    if (labels === undefined) this.namespaceLabels.delete(name)
    else this.namespaceLabels.set(name, labels)
    this.generation++
    this.classes.forgetQueries()
  }

  setClaim(namespace: string, name: string, claim: PersistentVolumeClaim | undefined): void {
    this.volumes.setClaim(namespace, name, claim)
    this.generation++
    if (this.watches.size > 0) this.watches.notify(claimWatchKey(namespace, name))
  }

  setVolume(name: string, volume: PersistentVolume | undefined): void {
    this.volumes.setVolume(name, volume)
    this.generation++
    if (this.watches.size > 0) this.watches.notify(volumeWatchKey(name))
  }

  setStorageClass(name: string, storageClass: StorageClass | undefined): void {
    this.volumes.setStorageClass(name, storageClass)
    this.generation++
  }

  setCSINode(name: string, csiNode: CSINode | undefined): void {
    this.volumes.setCSINode(name, csiNode)
    this.generation++
  }

  setCSIDriver(name: string, driver: CSIDriver | undefined): void {
    this.volumes.setDriver(name, driver)
    this.generation++
  }

  setStorageCapacity(capacity: CSIStorageCapacity, isDeleted = false): void {
    this.volumes.setCapacity(capacity, isDeleted ? undefined : capacity)
    this.generation++
  }

  assumeVolumes(podKey: string, nodeName: string, plan: VolumePlan): void {
    this.volumes.assumed.assume(podKey, nodeName, plan)
    this.generation++
  }

  forgetVolumes(podKey: string): void {
    if (this.volumes.assumed.forget(podKey)) this.generation++
  }

  setAttachment(attachment: VolumeAttachment, isDeleted = false): void {
    this.volumes.setAttachment(attachment, isDeleted ? undefined : attachment)
    this.generation++
  }

  /** The index of an extended resource in the arrays of a NodeInfo. */
  slotOf(resource: string): number {
    return this.demands.slotOf(resource)
  }

  /**
   * Adds or updates a node. Returns what has changed; undefined if the node is new. Throws if the node is invalid (a
   * malformed quantity, for example): it is then removed, and counts as new when it is valid again.
   */
  setNode(node: Node): NodeChange | undefined {
    try {
      return this.applyNode(node)
    } catch (error) {
      this.removeNode(node.metadata.name ?? "")
      throw error
    }
  }

  private applyNode(node: Node): NodeChange | undefined {
    const name = node.metadata.name ?? ""
    const info = this.nodeInfoFor(name)
    const before = info.node
    const change = before === undefined ? undefined : nodeChange(before, node)
    info.node = node
    if (info.images.length > 0 || node.status?.images !== undefined) {
      info.images = this.images.set(name, info.images, node)
    }
    if (change === undefined || isRelevant(change)) this.noteChange(info)
    if (change === undefined || change.labels) {
      this.readLabels(info, node, change === undefined)
      if (this.watches.size > 0) this.watches.notify(nodeWatchKey(name))
    }
    if (change === undefined || change.taints) {
      info.unschedulable = node.spec?.unschedulable ?? false
      info.taintSet = this.taintSets.of(node)
    }
    if (change === undefined || change.allocatable) readAllocatable(info, node, this.podsFitBy, this.demands)
    return change
  }

  removeNode(name: string): void {
    const info = this.nodesByName.get(name)
    if (info?.node === undefined) return
    this.noteChange(info)
    this.order.remove(info)
    this.topologies.clear()
    info.node = undefined
    info.images = this.images.set(name, info.images, undefined)
    if (info.podCount === 0) this.nodesByName.delete(name)
    if (this.watches.size > 0) this.watches.notify(nodeWatchKey(name))
  }

  describe(pod: Pod): PodInfo {
    return describePod(pod, this.demands, this.classes.intern)
  }

  /** Adds a pod to a node, assigned or assumed. A pod that is on a node already is moved. */
  place(info: PodInfo, nodeName: string): void {
    this.nodesByName.get(nodeName)?.describePods()
    const before = this.placements.get(info.key)
    // Must come before `nodeInfoFor`: it forgets an unknown node to which only this pod was assigned.
    if (before !== undefined) this.subtract(before)
    const node = this.nodeInfoFor(nodeName)
    this.noteChange(node)
    this.placements.add(info, node)
    if (info.volumes !== undefined) this.volumes.countUses(info.namespace, info.volumes.claims, 1)
    this.classes.add(info.podClass, node, info.terminating)
  }

  /** Counts a pod of a first list on its node if it is like another one. Returns false if it is not. */
  placeLike(pod: Pod, like: PodInfo): boolean {
    if (!isLike(pod, like) || this.demands.of(pod) !== like.requests) return false
    const node = this.nodeInfoFor(pod.spec.nodeName ?? "")
    this.noteChange(node)
    this.placements.addLike(pod, like, node)
    this.classes.add(like.podClass, node, false)
    return true
  }

  /** Removes a pod from its node. Returns false if it was on none. */
  remove(key: string): boolean {
    const placement = this.placements.get(key)
    if (placement === undefined) return false
    this.subtract(placement)
    return true
  }

  /** Does the same for a pod that may not be described yet. */
  removePod(pod: Pod): boolean {
    return this.placement(pod) !== undefined && this.remove(podKey(pod))
  }

  get podCount(): number {
    return this.placements.size
  }

  /** The node of an assigned or assumed pod; undefined if it is on none. */
  placement(pod: Pod): Placement | undefined {
    this.nodesByName.get(pod.spec.nodeName ?? "")?.describePods()
    return this.placements.get(podKey(pod))
  }

  /** Whether the node, if empty, could hold a pod with these requests. */
  fitsWhenEmpty(node: Node, demand: PodDemand): boolean {
    return shortagesOn(this.emptyNode(node), demand, this.devices) === 0
  }

  /** Whether a node now offers more of a requested resource, or accepts more pods. */
  offersMore(before: Node, after: Node, demand: PodDemand): boolean {
    return offersMore(this.emptyNode(before), this.emptyNode(after), demand, this.devices)
  }

  /** Whether a pod now requests less of a resource that another pod requests. */
  requestsLess(before: Pod, after: Pod, demand: PodDemand): boolean {
    return requestsLess(this.demands.of(before), this.demands.of(after), demand)
  }

  private emptyNode(node: Node): NodeInfo {
    return readAllocatable(new NodeInfo("", this.taintSets.none), node, this.podsFitBy, this.demands)
  }

  hasPriorityBelow(priority: number): boolean {
    return this.placements.hasPriorityBelow(priority)
  }

  private subtract(placement: Placement): void {
    const { info, node } = placement
    this.noteChange(node)
    this.placements.remove(placement)
    if (info.volumes !== undefined) this.volumes.countUses(info.namespace, info.volumes.claims, -1)
    this.classes.remove(info.podClass, node, info.terminating)
    if (node.node === undefined && node.podCount === 0) this.nodesByName.delete(node.name)
  }

  private noteChange(node: NodeInfo): void {
    node.generation = ++this.generation
    this.changes.note(node)
  }

  private nodeInfoFor(name: string): NodeInfo {
    const known = this.nodesByName.get(name)
    if (known !== undefined) return known
    const info = new NodeInfo(name, this.taintSets.none)
    this.nodesByName.set(name, info)
    return info
  }

  private readLabels(info: NodeInfo, node: Node, isNew: boolean): void {
    const zone = zoneKeyOf(node)
    if (isNew || zone !== info.zone) {
      if (!isNew) this.order.remove(info)
      info.zone = zone
      this.order.add(info)
    }
    info.labels = node.metadata.labels ?? noLabels
    this.topologies.clear()
  }
}
