import { getControllerOf } from "../Owner.ts"
import type { OwnerReference } from "../objects/Meta.ts"
import type { DeviceRequest, ResourceClaim } from "../objects/ResourceClaim.ts"
import type { Amounts } from "../PodResources.ts"
import { makeQuantity, signOf, subtractQuantity, zeroQuantity } from "../quantity/Quantity.ts"
import { classOfExtendedResource, extendedResourceOfClass, implicitPrefix } from "./deviceClasses.ts"
import { countName, type Evaluator, noScope, one, type QuotaView } from "./Evaluator.ts"
import { isExtendedForQuota, podEvaluator } from "./podEvaluator.ts"

const resource = "resourceclaims.resource.k8s.io"
const perClass = ".deviceclass.resource.k8s.io/devices"
/** Before the name of an extended resource in a quota. */
const requests = "requests."
/** Marks a claim that the scheduler makes for a pod's extended resources, which count at the pod. */
const ofExtendedResource = "resource.kubernetes.io/extended-resource-claim"
/** What a request for all devices counts: as many as one allocation can have. */
const MAX_DEVICES = 32

type Asked = Pick<NonNullable<DeviceRequest["exactly"]>, "allocationMode" | "count" | "deviceClassName">

const devicesOf = ({ allocationMode, count = 1 }: Asked): number => (allocationMode === "All" ? MAX_DEVICES : count)

/** Returns how many devices of each class a request can get: of its alternatives, the largest number of each class. */
const mostByClass = ({ exactly, firstAvailable = [] }: DeviceRequest): ReadonlyMap<string, number> => {
  const most = new Map<string, number>()
  const asked: ReadonlyArray<Asked> = firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly]
  for (const each of asked) {
    most.set(each.deviceClassName, Math.max(most.get(each.deviceClassName) ?? 0, devicesOf(each)))
  }
  return most
}

/** The claim that the scheduler made of these for a pod, if its status does not name one: the oldest, then the lowest name. */
const isFirstOf = (claim: ResourceClaim, all: Iterable<ResourceClaim>, podUid: string): boolean => {
  const { creationTimestamp = "", name = "" } = claim.metadata
  for (const other of all) {
    const { annotations, creationTimestamp: created = "", name: otherName = "" } = other.metadata
    if (annotations?.[ofExtendedResource] !== "true" || podOwnerOf(other)?.uid !== podUid) continue
    if (created < creationTimestamp || (created === creationTimestamp && otherName < name)) return false
  }
  return true
}

const podOwnerOf = (claim: ResourceClaim): OwnerReference | undefined => {
  const owner = getControllerOf(claim)
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined
}

/**
 * Returns what the pod uses whose extended resources a claim is for: that much is counted at the pod. Upstream:
 * getVerifiedPodUsage.
 */
const usageOfPod = (claim: ResourceClaim, view: QuotaView): Amounts => {
  const { annotations, name, namespace = "" } = claim.metadata
  const owner = annotations?.[ofExtendedResource] === "true" ? podOwnerOf(claim) : undefined
  const pod = owner && view.pod?.(namespace, owner.name)
  if (owner === undefined || pod?.metadata.uid !== owner.uid) return {}
  const named = pod.status?.extendedResourceClaimStatus as { readonly resourceClaimName?: string } | undefined
  const isItsClaim =
    named === undefined ? isFirstOf(claim, view.claims?.(namespace) ?? [], owner.uid) : named.resourceClaimName === name
  return isItsClaim ? podEvaluator.usage(pod, view) : {}
}

/** Returns what a claim uses of the extended resources of its classes, beyond what its pod uses. */
const extendedUsage = (totals: ReadonlyMap<string, number>, claim: ResourceClaim, view: QuotaView): Amounts => {
  const classes = view.deviceClasses?.() ?? []
  const ofPod = usageOfPod(claim, view)
  const used: Record<string, Amounts[string]> = {}
  for (const [name, count] of totals) {
    const named = extendedResourceOfClass(classes, name)
    for (const resource of [`${implicitPrefix}${name}`, ...(named === undefined ? [] : [named])]) {
      const rest = subtractQuantity(makeQuantity(count), ofPod[`${requests}${resource}`] ?? zeroQuantity)
      if (name !== "" && signOf(rest) > 0) used[`${requests}${resource}`] = rest
    }
  }
  return used
}

/** Upstream: pkg/quota/v1/evaluator/core/resource_claims.go. */
export const resourceClaims: Evaluator<ResourceClaim> = {
  resource,
  handles: ({ subresource }) => subresource === undefined,
  matching: (names, view) => {
    const hasClass = (name: string) =>
      isExtendedForQuota(name) &&
      classOfExtendedResource(view.deviceClasses?.() ?? [], name.slice(requests.length)) !== undefined
    return names.filter((name) => name === countName(resource) || name.endsWith(perClass) || hasClass(name))
  },
  matchesScope: noScope,
  usage: (claim, view) => {
    const totals = new Map<string, number>()
    for (const request of claim.spec?.devices?.requests ?? []) {
      for (const [name, count] of mostByClass(request)) totals.set(name, (totals.get(name) ?? 0) + count)
    }
    const used: Record<string, Amounts[string]> = { [countName(resource)]: one }
    for (const [name, count] of totals) used[`${name}${perClass}`] = makeQuantity(count)
    return { ...used, ...extendedUsage(totals, claim, view) }
  }
}
