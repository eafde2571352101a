import { type DeviceClass, keyOf, type Node, type ResourceClaim } from "@rollcall/api"
import { makeConstraint } from "./constraints.ts"
import { poolsFor, type Slices } from "./pools.ts"
import { AllocationFault, MAX_RESULTS, type RequestContext, readRequest, type Wanted } from "./requests.ts"
import { type AllocationResult, allocationOf, type ChosenRequest } from "./results.ts"
import { type ClaimToAllocate, Search } from "./Search.ts"
import type { Selectors } from "./selectors.ts"
import type { DeviceUsage } from "./usage.ts"

/** What there is to allocate. */
export interface Inventory {
  readonly classes: ReadonlyMap<string, DeviceClass>
  readonly slices: Slices
  readonly usage: DeviceUsage
  readonly selectors: Selectors
  /** Whether the search has taken too long; absent if it may take any time. */
  readonly isOverdue?: () => boolean
}

/** The allocations of the claims, in order, or why the node cannot have them. */
export type Allocation =
  | { readonly _tag: "Allocated"; readonly allocations: ReadonlyArray<AllocationResult> }
  | { readonly _tag: "Unavailable"; readonly reason: string }

const requestsOf = ({ spec }: ResourceClaim) => spec.devices?.requests ?? []

const readClaim = (claim: ResourceClaim, context: RequestContext): ClaimToAllocate => {
  const requests = requestsOf(claim).map((request) => readRequest(claim, request, context))
  const least = requests.reduce((sum, alternatives) => sum + Math.min(...alternatives.map(({ count }) => count)), 0)
  if (least > MAX_RESULTS) {
    const limit = `number of requested devices ${least} exceeds the claim limit of ${MAX_RESULTS}`
    throw new AllocationFault(`claim ${keyOf(claim)}: ${limit}`)
  }
  const constraints = (claim.spec.devices?.constraints ?? []).map((spec, index) => {
    const constraint = makeConstraint(spec)
    if (constraint !== undefined) return constraint
    const fault = `constraint #${index}: empty constraint (unsupported constraint type?)`
    throw new AllocationFault(`claim ${keyOf(claim)}, ${fault}`)
  })
  return { requests, constraints }
}

/** The alternative of each request that was allocated; a request without devices has its first. */
const chosenOf = (alternatives: ReadonlyArray<Wanted>, found: ReadonlySet<Wanted>): ReadonlyArray<ChosenRequest> => {
  const wanted = alternatives.find((each) => found.has(each)) ?? alternatives[0]
  return wanted === undefined
    ? []
    : [{ request: wanted.ref.request, name: wanted.name, deviceClass: wanted.deviceClass }]
}

/**
 * Allocates devices for claims on a node. Throws `AllocationFault` if a claim asks for what cannot be, on no node.
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/structured, with the features of the release that are on.
 */
export const allocate = (
  { classes, isOverdue, selectors, slices, usage }: Inventory,
  node: Node,
  claims: ReadonlyArray<ResourceClaim>
): Allocation => {
  const pools = poolsFor(node, slices)
  const search = new Search(node, pools, { usage, selectors, isOverdue }, claims.length)
  const context = { classes, pools, isSelected: search.isSelected }
  const read = claims.map((claim) => readClaim(claim, context))
  if (!search.run(read)) {
    const isInvalid = pools.some(({ state }) => state === "Invalid")
    return {
      _tag: "Unavailable",
      reason: isInvalid ? "invalid resource pools were encountered" : "cannot allocate all claims"
    }
  }
  const allocations = claims.map((claim, index) => {
    const devices = search.found[index] ?? []
    const wanted = new Set(devices.map((device) => device.wanted))
    const chosen = (read[index]?.requests ?? []).flatMap((alternatives) => chosenOf(alternatives, wanted))
    return allocationOf(claim, devices, chosen, node.metadata.name ?? "")
  })
  return { _tag: "Allocated", allocations }
}
