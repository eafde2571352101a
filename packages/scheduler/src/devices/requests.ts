import { type Device, type DeviceClass, keyOf, type ResourceClaim, type ResourceSlice } from "@rollcall/api"
import type { CapacityRequests } from "./capacity.ts"
import type { RequestRef } from "./constraints.ts"
import type { Pool } from "./pools.ts"

type ClaimRequest = NonNullable<NonNullable<ResourceClaim["spec"]["devices"]>["requests"]>[number]
type Exactly = NonNullable<ClaimRequest["exactly"]>
type Toleration = NonNullable<Exactly["tolerations"]>[number]

/** The most devices of one claim. Upstream: AllocationResultsMaxSize. */
export const MAX_RESULTS = 32

/** Why devices cannot be allocated at all: a fault of a claim, a class or a driver, which waiting does not mend. */
export class AllocationFault extends Error {}

/** A device that a request may get, and where it was found. */
export interface Candidate {
  readonly pool: Pool
  readonly slice: ResourceSlice
  readonly device: Device
}

/** A request, or one alternative of a prioritized list, in the form in which devices are searched for it. */
export interface Wanted {
  readonly claim: ResourceClaim
  readonly ref: RequestRef
  /** The name as the result has it: `request`, or `request/alternative`. */
  readonly name: string
  /** The request's or the alternative's own name, for messages. */
  readonly shortName: string
  readonly deviceClass: DeviceClass
  readonly selectors: ReadonlyArray<string>
  readonly adminAccess: boolean
  readonly tolerations: ReadonlyArray<Toleration> | undefined
  readonly capacity: CapacityRequests | undefined
  readonly count: number
  /** All devices that match, if the request is for all; `count` is their number. */
  readonly all: ReadonlyArray<Candidate> | undefined
}

/** What searching for a request needs to know of the cluster. */
export interface RequestContext {
  readonly classes: ReadonlyMap<string, DeviceClass>
  readonly pools: ReadonlyArray<Pool>
  /** Whether the device is one that the request selects and has room for it. */
  readonly isSelected: (wanted: Wanted, candidate: Candidate) => boolean
}

/** The names of a request, or of its alternatives, in the order of preference. */
const alternativesOf = ({ exactly, firstAvailable = [], name }: ClaimRequest) =>
  firstAvailable.length === 0
    ? [{ ref: { request: name, alternative: undefined }, name, shortName: name, spec: exactly }]
    : firstAvailable.map((spec) => ({
        ref: { request: name, alternative: spec.name },
        name: `${name}/${spec.name}`,
        shortName: spec.name,
        spec: { ...spec, adminAccess: false }
      }))

const selectAll = (wanted: Wanted, where: string, { isSelected, pools }: RequestContext): ReadonlyArray<Candidate> =>
  pools.flatMap((pool) => {
    const id = `${pool.driver}/${pool.name}`
    const fault = `${where}: asks for all devices, but resource pool ${id} is currently`
    if (pool.state === "Incomplete") throw new AllocationFault(`${fault} being updated`)
    if (pool.state === "Invalid") throw new AllocationFault(`${fault} invalid`)
    return pool.slices.flatMap((slice) =>
      (slice.spec.devices ?? []).flatMap((device) => {
        const candidate = { pool, slice, device }
        return isSelected(wanted, candidate) ? [candidate] : []
      })
    )
  })

/**
 * Reads a request; throws `AllocationFault` if it is for nothing that is known. Upstream: validateDeviceRequest of
 * allocator_incubating.go.
 */
export const readRequest = (
  claim: ResourceClaim,
  request: ClaimRequest,
  context: RequestContext
): ReadonlyArray<Wanted> =>
  alternativesOf(request).map(({ name, ref, shortName, spec }) => {
    const where = `claim ${keyOf(claim)}, request ${shortName}`
    const selectors = (spec?.selectors ?? []).map(({ cel }, index) => {
      if (cel !== undefined) return cel.expression
      throw new AllocationFault(`${where}, selector #${index}: CEL expression empty (unsupported selector type?)`)
    })
    const className = spec?.deviceClassName ?? ""
    if (className === "") throw new AllocationFault(`${where}: missing device class name (unsupported request type?)`)
    const deviceClass = context.classes.get(className)
    if (deviceClass === undefined) {
      const missing = `deviceclass.resource.k8s.io ${JSON.stringify(className)} not found`
      throw new AllocationFault(`${where}: could not retrieve device class ${className}: ${missing}`)
    }
    const { adminAccess = false, allocationMode = "ExactCount", capacity, count = 1, tolerations } = spec ?? {}
    const wanted: Wanted = {
      claim,
      ref,
      name,
      shortName,
      deviceClass,
      selectors,
      adminAccess,
      tolerations,
      capacity: capacity?.requests,
      count,
      all: undefined
    }
    if (allocationMode !== "All") return wanted
    const all = selectAll(wanted, where, context)
    return { ...wanted, all, count: all.length }
  })
