import {
  claimNameOf,
  claimsOf,
  type DeviceTaint,
  type DeviceToleration,
  foreignClaim,
  type Pod,
  parseTime,
  type ResourceClaim,
  toleratesDeviceTaint
} from "@rollcall/api"
import * as Result from "effect/Result"
import { durationMs } from "../tainteviction/TaintEviction.ts"

type Allocated = NonNullable<
  NonNullable<NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>["devices"]>["results"]
>[number]

/** When a taint evicts the pods that use a device with these tolerations; undefined if it never does. */
const taintDueMs = (taint: DeviceTaint, tolerations: ReadonlyArray<DeviceToleration>): number | undefined => {
  const matching = tolerations.filter(
    (toleration) => toleration.effect === "NoExecute" && toleratesDeviceTaint(toleration, taint)
  )
  if (taint.timeAdded === undefined) return undefined
  const addedMs = parseTime(taint.timeAdded)
  if (matching.length === 0) return addedMs
  const seconds = matching.map(({ tolerationSeconds }) => tolerationSeconds)
  if (seconds.includes(undefined)) return undefined
  return addedMs + durationMs(Math.min(...seconds.map((each) => Math.max(each ?? 0, 0))))
}

/**
 * The earliest time at which the taints of its devices evict the pods that use an allocated claim.
 * Upstream: claimEvictionTime of device_taint_eviction.go.
 */
export const claimDueMs = (
  { status }: ResourceClaim,
  taintsOf: (driver: string, pool: string, device: string) => ReadonlyArray<DeviceTaint>
): number | undefined => {
  const results: ReadonlyArray<Allocated> = status?.allocation?.devices?.results ?? []
  const due = results.flatMap(({ device, driver, pool, tolerations = [] }) =>
    taintsOf(driver, pool, device).flatMap((taint) => taintDueMs(taint, tolerations) ?? [])
  )
  return due.length === 0 ? undefined : Math.min(...due)
}

/** An allocated claim, and when its devices evict the pods that use it. */
export interface AllocatedClaim {
  readonly claim: ResourceClaim
  readonly dueMs: number | undefined
}

/** Whether the claim is the one that the pod means, and is reserved for it. */
const mayUse = (pod: Pod, claim: ResourceClaim, isGenerated: boolean): boolean =>
  !(isGenerated && foreignClaim(pod, claim) !== undefined) &&
  (claim.status?.reservedFor ?? []).some(({ uid }) => uid === pod.metadata.uid)

/** When a pod must go because of the devices of its claims. Upstream: podEvictionTime of device_taint_eviction.go. */
export const podDueMs = (pod: Pod, find: (claim: string) => AllocatedClaim | undefined): number | undefined => {
  if ((pod.spec.nodeName ?? "") === "") return undefined
  const due = claimsOf(pod).flatMap((podClaim) => {
    const named = claimNameOf(pod, podClaim)
    if (Result.isFailure(named) || named.success?.name === undefined) return []
    const allocated = find(named.success.name)
    if (allocated?.dueMs === undefined) return []
    return mayUse(pod, allocated.claim, named.success.isGenerated) ? [allocated.dueMs] : []
  })
  return due.length === 0 ? undefined : Math.min(...due)
}
