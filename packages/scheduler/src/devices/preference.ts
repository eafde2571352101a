import type { ResourceClaim } from "@rollcall/api"
import type { AllocationResult } from "./results.ts"

/** The most alternatives of a request. Upstream: FirstAvailableDeviceRequestMaxSize. */
const MAX_ALTERNATIVES = 8

/**
 * How well the allocations suit claims with prioritized lists: 8 points for the first alternative of a request, 7 for the
 * second. `allocations` are those of the claims that have none, in order. Upstream: computeScore.
 */
export const preferenceOf = (
  claims: ReadonlyArray<ResourceClaim>,
  allocations: ReadonlyArray<AllocationResult>
): number => {
  let next = 0
  let score = 0
  for (const { spec, status } of claims) {
    const allocation = status?.allocation ?? allocations[next++]
    const chosen = new Set(allocation?.devices?.results?.map(({ request }) => request))
    for (const { firstAvailable = [], name } of spec.devices?.requests ?? []) {
      firstAvailable.forEach((alternative, index) => {
        if (chosen.has(`${name}/${alternative.name}`)) score += MAX_ALTERNATIVES - index
      })
    }
  }
  return score
}
