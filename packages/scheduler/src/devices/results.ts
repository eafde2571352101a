import { type DeviceClass, formatQuantity, type ResourceClaim } from "@rollcall/api"
import type { Allocated } from "./Search.ts"

export type AllocationResult = NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]>
type DeviceResult = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number]
type Configuration = NonNullable<NonNullable<AllocationResult["devices"]>["config"]>[number]
type NodeSelector = NonNullable<AllocationResult["nodeSelector"]>
type Requirement = NonNullable<NodeSelector["nodeSelectorTerms"][number]["matchExpressions"]>[number]

/** Stands for the ID of a share until the devices are reserved: see `withShareIds`. */
const PENDING_SHARE = "pending"

const optional = <K extends string, A>(key: K, value: A | undefined): { readonly [key in K]?: A } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: A })

const resultOf = ({ device, pool, share, wanted }: Allocated): DeviceResult => ({
  request: wanted.name,
  driver: pool.driver,
  pool: pool.name,
  device: device.name,
  ...(wanted.adminAccess ? { adminAccess: true } : {}),
  ...optional("tolerations", wanted.tolerations),
  ...optional("bindingConditions", device.bindingConditions),
  ...optional("bindingFailureConditions", device.bindingFailureConditions),
  ...(share === undefined ? {} : { shareID: PENDING_SHARE }),
  ...(share === undefined || share.size === 0
    ? {}
    : { consumedCapacity: Object.fromEntries([...share].map(([name, amount]) => [name, formatQuantity(amount)])) })
})

/** Gives each share of a device an ID. */
export const withShareIds = (allocation: AllocationResult, newId: () => string): AllocationResult => {
  const results = allocation.devices?.results ?? []
  if (results.every(({ shareID }) => shareID !== PENDING_SHARE)) return allocation
  const named = results.map((result) => (result.shareID === PENDING_SHARE ? { ...result, shareID: newId() } : result))
  return { ...allocation, devices: { ...allocation.devices, results: named } }
}

/** The requests of a claim as they were allocated: the name of each, and its class. */
export interface ChosenRequest {
  readonly request: string
  readonly name: string
  readonly deviceClass: DeviceClass
}

/** The configurations of the classes, each once for all requests of the class, then those of the claim. */
const configurationsOf = (claim: ResourceClaim, chosen: ReadonlyArray<ChosenRequest>): ReadonlyArray<Configuration> => {
  const requestsByClass = Map.groupBy(chosen, ({ deviceClass }) => deviceClass.metadata.name)
  const ofClasses = [...requestsByClass.values()].flatMap((requests) =>
    (requests[0]?.deviceClass.spec.config ?? []).map((config) => ({
      source: "FromClass",
      requests: requests.map(({ name }) => name),
      ...config
    }))
  )
  const ofClaim = (claim.spec.devices?.config ?? []).flatMap((config) => {
    const { requests = [] } = config
    if (requests.length === 0) return [{ source: "FromClaim", ...config }]
    return chosen
      .filter(({ name, request }) => requests.includes(request) || requests.includes(name))
      .map(() => ({ source: "FromClaim", ...config }))
  })
  return [...ofClasses, ...ofClaim]
}

const isSame = (left: Requirement, right: Requirement): boolean => {
  const values = new Set(left.values)
  const others = new Set(right.values)
  return (
    left.key === right.key &&
    left.operator === right.operator &&
    values.size === others.size &&
    [...values].every((value) => others.has(value))
  )
}

const union = (lists: ReadonlyArray<ReadonlyArray<Requirement> | undefined>): ReadonlyArray<Requirement> =>
  lists
    .flatMap((list = []) => list)
    .filter((each, index, all) => all.findIndex((other) => isSame(each, other)) === index)

/** Where the devices can be reached; undefined for devices of all nodes. Upstream: createNodeSelector. */
const nodeSelectorOf = (devices: ReadonlyArray<Allocated>, node: string): NodeSelector | undefined => {
  const places = devices.map(({ device, slice }) => ({
    ...(slice.spec.perDeviceNodeSelection === true ? device : slice.spec),
    bindsToNode: device.bindsToNode
  }))
  if (places.some(({ bindsToNode, nodeName }) => nodeName !== undefined || bindsToNode === true)) {
    const isNode = { key: "metadata.name", operator: "In" as const, values: [node] }
    return { nodeSelectorTerms: [{ matchFields: [isNode] }] }
  }
  const terms = places.flatMap(({ nodeSelector }) => nodeSelector?.nodeSelectorTerms.slice(0, 1) ?? [])
  const matchFields = union(terms.map((term) => term.matchFields))
  const matchExpressions = union(terms.map((term) => term.matchExpressions))
  if (matchFields.length + matchExpressions.length === 0) return undefined
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        ...(matchFields.length === 0 ? {} : { matchFields })
      }
    ]
  }
}

/** What is written to the status of a claim for the devices that were found. */
export const allocationOf = (
  claim: ResourceClaim,
  devices: ReadonlyArray<Allocated>,
  chosen: ReadonlyArray<ChosenRequest>,
  node: string
): AllocationResult => {
  const config = configurationsOf(claim, chosen)
  return {
    devices: {
      ...(devices.length === 0 ? {} : { results: devices.map(resultOf) }),
      ...(config.length === 0 ? {} : { config })
    },
    ...optional("nodeSelector", nodeSelectorOf(devices, node))
  }
}
