import type { DeviceRequest, ResourceClaim } from "../objects/ResourceClaim.ts"
import type { Amounts } from "../PodResources.ts"
import { makeQuantity } from "../quantity/Quantity.ts"
import { countName, type Evaluator, noScope, one } from "./Evaluator.ts"

const resource = "resourceclaims.resource.k8s.io"
const perClass = ".deviceclass.resource.k8s.io/devices"
/** The name under which a quota limits devices that pods request as an extended resource of their class. */
const implicit = "requests.deviceclass.resource.kubernetes.io/"
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

/** Upstream: pkg/quota/v1/evaluator/core/resource_claims.go. */
export const resourceClaims: Evaluator<ResourceClaim> = {
  resource,
  handles: ({ subresource }) => subresource === undefined,
  matching: (names) => names.filter((name) => name === countName(resource) || name.endsWith(perClass)),
  matchesScope: noScope,
  usage: ({ metadata, spec }) => {
    const totals = new Map<string, number>()
    for (const request of spec?.devices?.requests ?? []) {
      for (const [name, count] of mostByClass(request)) totals.set(name, (totals.get(name) ?? 0) + count)
    }
    const isOfPod = metadata.annotations?.[ofExtendedResource] === "true"
    const used: Record<string, Amounts[string]> = { [countName(resource)]: one }
    for (const [name, count] of totals) {
      used[`${name}${perClass}`] = makeQuantity(count)
      if (name !== "" && count > 0 && !isOfPod) used[`${implicit}${name}`] = makeQuantity(count)
    }
    return used
  }
}
