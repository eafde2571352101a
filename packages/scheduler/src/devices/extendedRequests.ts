import { type Pod, type ResourceClaim, value } from "@rollcall/api"

type DeviceRequest = NonNullable<NonNullable<ResourceClaim["spec"]["devices"]>["requests"]>[number]
type Container = Pod["spec"]["containers"][number]

/** Which request of the claim gives a container its devices of a resource: an entry of `requestMappings` in the pod's status. */
export interface RequestMapping {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export interface ExtendedRequests {
  readonly requests: ReadonlyArray<DeviceRequest>
  readonly mappings: ReadonlyArray<RequestMapping>
}

interface Counted {
  readonly name: string
  readonly count: number
}

/** What one container needs of a resource: devices of others that it may use, and those that it needs besides. */
interface ContainerNeed {
  readonly own: Counted | undefined
  readonly uses: ReadonlyArray<string>
}

const nothing: ContainerNeed = { own: undefined, uses: [] }

/**
 * The devices that a container needs. It first uses those that later containers have, if any are given. A request is named for the
 * container's index, and the resource's among the container's requests. Upstream: createResourceRequestAndMappings.
 */
const needOf = (
  { resources }: Container,
  index: number,
  resource: string,
  reusable: ReadonlyArray<Counted | undefined>
): ContainerNeed => {
  const quantity = resources?.requests?.[resource]
  const wanted = quantity === undefined ? 0 : value(quantity)
  if (wanted === 0) return nothing
  const uses: Array<string> = []
  let found = 0
  for (const request of reusable) {
    if (request === undefined) continue
    found += request.count
    uses.push(request.name)
    if (found >= wanted) return { own: undefined, uses }
  }
  const position = Object.keys(resources?.requests ?? {})
    .sort()
    .indexOf(resource)
  const name = `container-${index}-request-${position}`
  return { own: { name, count: wanted - found }, uses: [...uses, name] }
}

const isShortLived = (pod: Pod, index: number): boolean => {
  const { initContainers = [] } = pod.spec
  return index < initContainers.length && initContainers[index]?.restartPolicy !== "Always"
}

/** The requests for one resource. Init containers run before the others, one at a time: they share what the largest needs. */
const requestsForResource = (pod: Pod, resource: string, deviceClassName: string): ExtendedRequests => {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const longLived = containers.map((container, index) =>
    isShortLived(pod, index) ? nothing : needOf(container, index, resource, [])
  )
  const owned = longLived.map(({ own }) => own)
  const shortLived = containers.map((container, index) =>
    isShortLived(pod, index) ? needOf(container, index, resource, owned.slice(index)) : nothing
  )
  const own = shortLived.flatMap((need) => need.own ?? [])
  const largest = own.reduce<Counted | undefined>(
    (most, each) => (most === undefined || each.count > most.count ? each : most),
    undefined
  )
  const replaced = new Set(own.map(({ name }) => name))
  const mappingsOf = (needs: ReadonlyArray<ContainerNeed>): ReadonlyArray<RequestMapping> =>
    needs.flatMap(({ uses }, index) =>
      uses.map((name) => ({
        containerName: containers[index]?.name ?? "",
        resourceName: resource,
        requestName: largest !== undefined && replaced.has(name) ? largest.name : name
      }))
    )
  const counted = [...(largest === undefined ? [] : [largest]), ...owned.flatMap((each) => each ?? [])]
  return {
    requests: counted.map(({ count, name }) => ({
      name,
      exactly: { deviceClassName, allocationMode: "ExactCount", count }
    })),
    mappings: [...mappingsOf(longLived), ...mappingsOf(shortLived)]
  }
}

/**
 * The requests of the claim that gives a pod its extended resources from devices. `resources` has the class of each resource.
 * Upstream: createRequestsAndMappings of extendeddynamicresources.go.
 */
export const extendedRequests = (
  pod: Pod,
  resources: ReadonlyArray<{ readonly name: string; readonly deviceClass: string }>
): ExtendedRequests => {
  const parts = resources
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ deviceClass, name }) => requestsForResource(pod, name, deviceClass))
  return {
    requests: parts
      .flatMap(({ requests }) => requests)
      .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)),
    mappings: parts.flatMap(({ mappings }) => mappings)
  }
}
