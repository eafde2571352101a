import type { Device, ResourceClaim, ResourceSlice } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"
import { withResetMetadata } from "./statusMetadata.ts"

/** Upstream: pkg/registry/resource, one directory for each kind. */

type Attributes = NonNullable<Device["attributes"]>

const lists = ["ints", "bools", "strings", "versions"] as const

const withoutLists = (attributes: Attributes): Attributes => {
  const hasLists = Object.values(attributes).some((each) => lists.some((field) => each[field] !== undefined))
  if (!hasLists) return attributes
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { bools: _, ints: __, strings: ___, versions: ____, ...kept }]) => [
      name,
      kept
    ])
  )
}

/** Removes the fields of features that are off: attributes with lists, and resources of nodes. */
const withoutDisabled = (device: Device): Device => {
  const { attributes, nodeAllocatableResourceMappings: mappings, ...rest } = device
  const kept = attributes && withoutLists(attributes)
  if (mappings === undefined && kept === attributes) return device
  return kept === undefined ? rest : { ...rest, attributes: kept }
}

const prepareSlice = (slice: ResourceSlice): ResourceSlice => {
  const { devices } = slice.spec
  if (devices === undefined) return slice
  const kept = devices.map(withoutDisabled)
  return kept.every((device, index) => device === devices[index])
    ? slice
    : { ...slice, spec: { ...slice.spec, devices: kept } }
}

export const resourceSlices: KindOptions<ResourceSlice> = {
  tracksGeneration: true,
  returnsDeleted: true,
  strategy: { prepareForCreate: prepareSlice, dropOnUpdate: prepareSlice },
  indexedField: "spec.nodeName"
}

type Identified = { readonly driver: string; readonly pool: string; readonly device: string; readonly shareID?: string }

const keyOf = ({ device, driver, pool, shareID = "" }: Identified): string => [driver, pool, device, shareID].join("\n")

const resultsOf = ({ status }: ResourceClaim): ReadonlyArray<Identified> => status?.allocation?.devices?.results ?? []

/** Removes what drivers said of devices that the claim had and has no longer. Upstream: dropDeallocatedStatusDevices. */
const withoutDeallocated = (claim: ResourceClaim, stored: ResourceClaim): ResourceClaim => {
  const { devices } = claim.status ?? {}
  if (devices === undefined) return claim
  const gone = new Set(resultsOf(stored).map(keyOf))
  for (const result of resultsOf(claim)) gone.delete(keyOf(result))
  const kept = devices.filter((device) => !gone.has(keyOf(device)))
  if (kept.length === devices.length) return claim
  const { devices: _, ...status } = claim.status ?? {}
  return { ...claim, status: kept.length === 0 ? status : { ...status, devices: kept } }
}

export const resourceClaims: KindOptions<ResourceClaim> = {
  subresources: ["status"],
  returnsDeleted: true,
  strategy: { prepareForStatusUpdate: (claim, stored) => withoutDeallocated(withResetMetadata(claim, stored), stored) }
}
