import { getControllerOf, keyOf, type ResourceClaim } from "@rollcall/api"
import type { AllocationResult } from "./results.ts"
import { AllocatedDevices } from "./usage.ts"

/** Whether one version of an object is newer than another. */
const isNewer = (claim: ResourceClaim, than: ResourceClaim): boolean =>
  claim.metadata.uid !== than.metadata.uid ||
  BigInt(claim.metadata.resourceVersion ?? 0) > BigInt(than.metadata.resourceVersion ?? 0)

/** The UID of the pod for whose extended resources a claim was made. */
const podOfExtended = (claim: ResourceClaim): string | undefined =>
  claim.metadata.annotations?.["resource.kubernetes.io/extended-resource-claim"] === "true"
    ? getControllerOf(claim)?.uid
    : undefined

/**
 * The claims as they were last seen, in an event or in the answer to a write, and the allocations that are decided but not
 * written yet. Upstream: claimTracker of pkg/scheduler/framework/plugins/dynamicresources/dra_manager.go.
 */
export class ClaimTracker {
  readonly usage = new AllocatedDevices()
  /** Increased by each change. */
  generation = 0
  private readonly claims = new Map<string, ResourceClaim>()
  /** The claims for extended resources, by the UID of their pod. */
  private readonly extended = new Map<string, ResourceClaim>()
  /** Claims with their decided allocations, by UID. */
  private readonly pending = new Map<string, ResourceClaim>()

  /** Returns the claim; the message of a missing one is upstream's. */
  find(namespace: string, name: string): ResourceClaim | string {
    const key = `${namespace}/${name}`
    return this.claims.get(key) ?? `could not find ResourceClaim ${JSON.stringify(key)}`
  }

  /** Sets a claim. Older versions than the present one, which events may bring after a write, are ignored. */
  set(claim: ResourceClaim): void {
    const key = keyOf(claim)
    const before = this.claims.get(key)
    if (before !== undefined && !isNewer(claim, before)) return
    this.generation++
    this.usage.replace(before, claim)
    this.claims.set(key, claim)
    const owner = podOfExtended(claim)
    if (owner !== undefined) this.extended.set(owner, claim)
  }

  remove(claim: ResourceClaim): void {
    const before = this.claims.get(keyOf(claim))
    this.generation++
    this.usage.replace(before, undefined)
    this.claims.delete(keyOf(claim))
    const owner = podOfExtended(claim)
    if (owner !== undefined) this.extended.delete(owner)
  }

  /** Returns the claim for the extended resources of the pod with this UID. */
  extendedOf(podUid: string): ResourceClaim | undefined {
    return this.extended.get(podUid)
  }

  pendingAllocation({ metadata }: ResourceClaim): AllocationResult | undefined {
    return this.pending.get(metadata.uid ?? "")?.status?.allocation
  }

  /** Counts the devices of a claim as in use from now on. */
  reserve(claim: ResourceClaim, allocation: AllocationResult): void {
    this.release(claim)
    this.generation++
    const allocated = { ...claim, status: { ...claim.status, allocation } }
    this.usage.replace(undefined, allocated)
    this.pending.set(claim.metadata.uid ?? "", allocated)
  }

  /** Forgets what was decided for a claim: it is written now, or was given up. */
  release({ metadata }: ResourceClaim): void {
    const allocated = this.pending.get(metadata.uid ?? "")
    if (allocated === undefined) return
    this.generation++
    this.usage.replace(allocated, undefined)
    this.pending.delete(metadata.uid ?? "")
  }
}
