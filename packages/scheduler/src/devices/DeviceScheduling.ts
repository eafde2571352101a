import {
  type DeviceClass,
  type Node,
  type Pod,
  type ResourceClaim,
  type ResourceSlice,
  usedClaims
} from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { NodeInfo, PodInfo } from "../cache/CacheRecords.ts"
import type { DeviceBinding, DeviceCheck, DeviceLimits, PodDevices } from "../cache/PodDevices.ts"
import { PluginError } from "../Plugin.ts"
import { dynamicResourcesName } from "../plugins/DynamicResources.ts"
import { normalize } from "../plugins/normalize.ts"
import type { SchedulingEvent } from "../queue/SchedulingEvent.ts"
import { allocate } from "./allocate.ts"
import { BindClaims, isReservedFor } from "./bindClaims.ts"
import { isOverdue, readinessOf } from "./bindingConditions.ts"
import { ClaimTracker } from "./ClaimTracker.ts"
import { type Cycle, isEmpty, type NodeAllocation } from "./Cycle.ts"
import { type ClassTotals, classTotals } from "./classTotals.ts"
import { deleteClaim, ExtendedClaims } from "./ExtendedClaims.ts"
import { hintOf } from "./hint.ts"
import { matchesNodeSelector, Slices } from "./pools.ts"
import { preferenceOf } from "./preference.ts"
import { classesByResource } from "./ResourceClasses.ts"
import { AllocationFault } from "./requests.ts"
import { withShareIds } from "./results.ts"
import { Selectors } from "./selectors.ts"

/** What scheduling by devices needs. */
export interface DeviceParts {
  readonly connection: Connection
  readonly timers: TimersShape
  /** Whether classes provide extended resources: see SchedulerConfig. */
  readonly extendedResourceClaims: boolean
  /** Returns an ID for a share of a device, or for a claim that is not written yet. */
  readonly newId: () => string
}

const noClasses: ReadonlyMap<string, DeviceClass> = new Map()

/** How long a cycle may last before what it found is found again: conditions of devices depend on the time. */
const CYCLE_MS = 1000

const notOnNode = "resourceclaim not available on the node"

/** The plugin DynamicResources over the claims, classes and slices of a cluster. */
export class DeviceScheduling implements PodDevices {
  private readonly parts: DeviceParts
  private readonly tracker = new ClaimTracker()
  private readonly extended: ExtendedClaims
  private readonly classes = new Map<string, DeviceClass>()
  private readonly slices = new Slices()
  private readonly selectors = new Selectors()
  /** Made anew after a change, when it is needed. */
  private resourceClasses: ReadonlyMap<string, DeviceClass> | undefined
  private generation = 0
  private cycle: Cycle | undefined
  private filterTimeoutMs = 0
  constructor(parts: DeviceParts) {
    this.parts = parts
    this.extended = new ExtendedClaims(this.tracker, parts.newId)
  }

  readonly setClaim = (claim: ResourceClaim, isDeleted: boolean): void =>
    isDeleted ? this.tracker.remove(claim) : this.tracker.set(claim)

  readonly setClass = (deviceClass: DeviceClass, isDeleted: boolean): void => {
    this.generation++
    if (isDeleted) this.classes.delete(deviceClass.metadata.name ?? "")
    else this.classes.set(deviceClass.metadata.name ?? "", deviceClass)
    this.resourceClasses = undefined
  }

  private get byResource(): ReadonlyMap<string, DeviceClass> {
    this.resourceClasses ??= this.parts.extendedResourceClaims ? classesByResource(this.classes.values()) : noClasses
    return this.resourceClasses
  }

  readonly hasClassFor = (resource: string): boolean => this.byResource.has(resource)

  readonly setSlice = (slice: ResourceSlice, isDeleted: boolean): void => {
    this.generation++
    this.slices.set(slice.metadata.name ?? "", isDeleted ? undefined : slice)
  }

  readonly gate = (pod: Pod): string | undefined => {
    const used = this.usedBy(pod)
    return Result.isFailure(used) ? used.failure : undefined
  }

  private usedBy(pod: Pod) {
    return usedClaims(pod, (claim) => this.tracker.find(pod.metadata.namespace ?? "", claim))
  }

  readonly totals = (resource: string, node: Node): ClassTotals | undefined => {
    const deviceClass = this.byResource.get(resource)
    const { selectors, slices, tracker } = this
    return deviceClass && classTotals({ selectors, slices, usage: tracker.usage }, deviceClass, node)
  }

  readonly prepare = (pod: PodInfo, limits: DeviceLimits): DeviceCheck | string | undefined => {
    const cycle = this.cycleOf(pod)
    if (typeof cycle === "string") return cycle
    this.filterTimeoutMs = limits.filterTimeoutMs
    return isEmpty(cycle) ? undefined : (node) => this.check(cycle, node, limits.bindingTimeoutMs)
  }

  /** The cycle of a pod, or why it is unschedulable. Upstream: PreFilter. */
  private cycleOf(info: PodInfo): Cycle | string {
    const { pod } = info
    const now = this.parts.timers.now()
    const generation = this.generation + this.tracker.generation
    const last = this.cycle
    if (last?.pod === pod && last.generation === generation && now - last.startedAt < CYCLE_MS) return last
    this.cycle = undefined
    const used = this.usedBy(pod)
    if (Result.isFailure(used)) return used.failure
    const claims = used.success.map(({ claim }) => claim)
    const unallocated = claims.filter(({ status }) => status?.allocation === undefined)
    for (const claim of unallocated) {
      const problem = this.problemOf(claim)
      if (problem !== undefined) return problem
    }
    const extended = this.extended.partOf(info, this.byResource)
    const common = { pod, generation, startedAt: now, byNode: new Map(), unavailable: new Set<ResourceClaim>() }
    this.cycle = { ...common, claims, unallocated, extended }
    return this.cycle
  }

  /** Why a claim cannot be allocated on any node. */
  private problemOf(claim: ResourceClaim): string | undefined {
    const label = `resource claim ${claim.metadata.namespace}/${claim.metadata.name}`
    if (this.tracker.pendingAllocation(claim) !== undefined) return `${label} is in the process of being allocated`
    for (const { exactly, firstAvailable = [], name: request } of claim.spec.devices?.requests ?? []) {
      if (exactly === undefined && firstAvailable.length === 0)
        return `${label}, request ${request}: unknown request type`
      const asked =
        exactly === undefined
          ? firstAvailable.map((each) => [`${request}/${each.name}`, each.deviceClassName] as const)
          : [[request, exactly.deviceClassName] as const]
      for (const [from, deviceClass] of asked) {
        if (!this.classes.has(deviceClass)) return `request ${from}: device class ${deviceClass} does not exist`
      }
    }
    return undefined
  }

  /** Upstream: Filter. */
  private check(cycle: Cycle, info: NodeInfo, timeoutMs: number): string | undefined {
    const { node } = info
    if (node === undefined) return undefined
    const allocated = this.allocateOn(cycle, info)
    if (typeof allocated === "string") return allocated
    const unavailable = cycle.claims.filter((claim) => !this.isAvailable(claim, node, timeoutMs))
    const { allocation } = allocated
    if (allocation?._tag === "Unavailable") return allocation.reason
    for (const claim of unavailable) cycle.unavailable.add(claim)
    return unavailable.length > 0 ? notOnNode : undefined
  }

  /** Whether an allocated claim can be used on a node, and its devices have become, or may become, ready. */
  private isAvailable(claim: ResourceClaim, node: Node, timeoutMs: number): boolean {
    const { allocation } = claim.status ?? {}
    if (allocation === undefined) return true
    if (allocation.nodeSelector !== undefined && !matchesNodeSelector(allocation.nodeSelector, node)) return false
    const readiness = readinessOf(claim)
    if (readiness === "Ready") return true
    return readiness === "Waiting" && !isOverdue(claim, this.parts.timers.now(), timeoutMs)
  }

  /** What the pod's claims without an allocation get on a node, or why it has not what the pod needs. */
  private allocateOn({ byNode, extended, pod, unallocated }: Cycle, info: NodeInfo): NodeAllocation | string {
    const { node } = info
    const known = node === undefined ? undefined : byNode.get(node)
    if (known !== undefined) return known
    const own = extended && this.extended.on(extended, pod, info, this.byResource)
    if (typeof own === "string") return own
    const needed = own === undefined ? unallocated : [...unallocated, own.claim]
    if (needed.length === 0 || node === undefined) return { allocation: undefined, extended: undefined }
    const { classes, selectors, slices, tracker } = this
    try {
      const { now } = this.parts.timers
      const endsMs = this.filterTimeoutMs === 0 ? Infinity : now() + this.filterTimeoutMs
      const inventory = { classes, selectors, slices, usage: tracker.usage, isOverdue: () => now() > endsMs }
      const allocation = allocate(inventory, node, needed)
      const allocated = { allocation, extended: own }
      byNode.set(node, allocated)
      return allocated
    } catch (error) {
      if (!(error instanceof AllocationFault)) throw error
      throw new PluginError(`running ${JSON.stringify(dynamicResourcesName)} filter plugin: ${error.message}`)
    }
  }

  /** Deallocates one unused claim that kept the pod off a node. Upstream: PostFilter. */
  readonly deallocate = (pod: Pod): string => {
    const cycle = this.cycle?.pod === pod ? this.cycle : undefined
    if (cycle === undefined || isEmpty(cycle)) return "no new claims to deallocate"
    for (const claim of cycle.unavailable) {
      const consumers = claim.status?.reservedFor ?? []
      if (consumers.length > 1 || (consumers.length === 1 && !isReservedFor(claim, pod))) continue
      const { name: claimName = "", namespace = "" } = claim.metadata
      const { allocation: _, devices: __, reservedFor: ___, ...status } = claim.status ?? {}
      const object = { ...claim, status }
      const address = { kind: "ResourceClaim", name: claimName, namespace } as const
      this.parts.connection.send({ verb: "update", subresource: "status", object, ...address }, (answer) => {
        if (Result.isFailure(answer)) this.report("deallocate a claim", answer.failure, claim)
      })
      return "deallocation of ResourceClaim completed"
    }
    if (cycle.extended?.isStale === true) {
      this.deleteClaim(cycle.extended.claim)
      return "deletion of ResourceClaim completed"
    }
    return "still not schedulable"
  }

  private deleteClaim(claim: ResourceClaim): void {
    deleteClaim(this.parts.connection, claim, (error) => this.report("delete a claim", error, claim))
  }

  private report(what: string, error: unknown, { metadata }: ResourceClaim): void {
    this.parts.timers.handleError(`scheduler: ${what}`, error, { claim: `${metadata.namespace}/${metadata.name}` })
  }

  readonly score = (pod: PodInfo, nodes: ReadonlyArray<NodeInfo>, scores: Array<number>): boolean => {
    const cycle = this.cycleOf(pod)
    if (typeof cycle === "string") return false
    nodes.forEach((node, index) => {
      const allocated = this.allocateOn(cycle, node)
      const allocation = typeof allocated === "string" ? undefined : allocated.allocation
      const allocations = allocation?._tag === "Allocated" ? allocation.allocations : []
      scores[index] = preferenceOf(cycle.claims, allocations)
    })
    normalize(scores, false)
    return true
  }

  readonly reserve = (pod: PodInfo, node: NodeInfo | undefined): string | undefined => {
    const cycle = this.cycleOf(pod)
    if (typeof cycle === "string") return cycle
    const allocated = node === undefined ? undefined : this.allocateOn(cycle, node)
    if (typeof allocated === "string") return allocated
    const { allocation, extended } = allocated ?? {}
    if (cycle.unallocated.length === 0 && extended === undefined) return undefined
    if (allocation?._tag !== "Allocated") return "claim allocation not found for node"
    if (extended !== undefined) this.extended.reserve(pod.pod, extended)
    const claims = extended === undefined ? cycle.unallocated : [...cycle.unallocated, extended.claim]
    claims.forEach((claim, index) => {
      const result = allocation.allocations[index]
      if (result !== undefined) this.tracker.reserve(claim, withShareIds(result, this.parts.newId))
    })
    return undefined
  }

  /** Releases what was decided or written for a pod that is not bound after all. */
  readonly unreserve = (pod: Pod): void => {
    this.extended.forget(pod)
    const written = this.tracker.extendedOf(pod.metadata.uid ?? "")
    if (written !== undefined) this.deleteClaim(written)
    const used = this.usedBy(pod)
    if (Result.isFailure(used)) return
    for (const { claim } of used.success) {
      this.tracker.release(claim)
      if (claim.status?.allocation === undefined || !isReservedFor(claim, pod)) continue
      const { name: claimName = "", namespace = "", uid } = claim.metadata
      const reservedFor = [{ $patch: "delete", uid: pod.metadata.uid }]
      const address = {
        verb: "patch",
        kind: "ResourceClaim",
        name: claimName,
        namespace,
        subresource: "status"
      } as const
      this.parts.connection.send(
        { ...address, patchType: "strategic", body: { metadata: { uid }, status: { reservedFor } } },
        (answer) => {
          if (Result.isFailure(answer)) this.report("unreserve a claim", answer.failure, claim)
        }
      )
    }
  }

  readonly preBind = (task: DeviceBinding, timeoutMs: number): (() => void) => {
    const used = this.usedBy(task.pod.pod)
    if (Result.isFailure(used)) {
      task.done(used.failure)
      return () => undefined
    }
    const writes = new BindClaims(task, this.tracker, timeoutMs, this.extended)
    writes.start(used.success.map(({ claim }) => claim))
    return writes.stop
  }

  readonly hint = (pod: Pod, event: SchedulingEvent): boolean => hintOf(pod, event, this.usedBy(pod))
}
