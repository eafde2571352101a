import { memberOf } from "./memberOf.ts"
import type { Container } from "./objects/Container.ts"
import type { Pod } from "./objects/Pod.ts"
import type { ContainerStatus } from "./objects/PodStatus.ts"
import type { Quantity, ResourceList } from "./objects/Scalars.ts"
import type { Amount } from "./quantity/Amount.ts"
import { addQuantity, amountOf, compareQuantity, formatQuantity, signOf } from "./quantity/Quantity.ts"

/** Amounts by resource name. */
export type Amounts = Readonly<Record<string, Amount>>

export interface PodResourcesOptions {
  readonly excludeOverhead?: boolean
  /** Take the maximum of the spec's resources and those of the status, which differ during an in-place resize. */
  readonly useStatusResources?: boolean
  readonly skipPodLevelResources?: boolean
  /** Take the pod-level resources from the spec alone, even during a resize: as quotas count them. */
  readonly specPodLevelResources?: boolean
  /** For requests only. */
  readonly skipContainerLevelResources?: boolean
  /** The request of each container for a resource that it does not list. For requests only. */
  readonly nonMissingContainerRequests?: ResourceList
}

type Sums = Record<string, Amount>
type ResourceAmounts = Readonly<Record<string, Quantity | Amount>>

/** Adds a list to the sums, resource by resource. */
const addTo = (sums: Sums, list: ResourceAmounts | undefined): void => {
  for (const name in list) {
    const quantity = list[name]
    if (quantity === undefined || name === "__proto__") continue
    const sum = memberOf(sums, name)
    sums[name] = sum === undefined ? amountOf(quantity) : addQuantity(sum, quantity)
  }
}

/** Raises the sums to the amounts of a list, resource by resource, where those are greater. */
const raiseTo = (sums: Sums, list: ResourceAmounts | undefined): void => {
  for (const name in list) {
    const quantity = list[name]
    if (quantity === undefined || name === "__proto__") continue
    const sum = memberOf(sums, name)
    if (sum === undefined || compareQuantity(quantity, sum) > 0) sums[name] = amountOf(quantity)
  }
}

/** Returns the maximum of several lists, resource by resource. */
const maximumOf = (...lists: ReadonlyArray<ResourceList | undefined>): Sums => {
  const sums: Sums = {}
  for (const list of lists) raiseTo(sums, list)
  return sums
}

/** Whether an init container keeps running next to the main containers. KEP-753. */
export const isSidecar = (container: Pick<Container, "restartPolicy">): boolean => container.restartPolicy === "Always"

/** Whether the first PodResizePending condition says that the node can never grant the resize. */
const isResizeInfeasible = (pod: Pod): boolean =>
  pod.status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible"

/** Returns the resources of a container, chosen from its spec and status. */
type ChooseResources = (container: Container, status: ContainerStatus | undefined) => ResourceAmounts | undefined

/**
 * Returns the peak use of all containers: the main containers and sidecars together, or one plain init container with
 * the sidecars started before it, whichever is greater.
 */
const peakOf = (pod: Pod, useStatus: boolean, choose: ChooseResources): Sums => {
  const statusOf = (list: ReadonlyArray<ContainerStatus> | undefined, name: string) =>
    useStatus ? list?.find((status) => status.name === name && status.resources !== undefined) : undefined
  const sums: Sums = {}
  for (const container of pod.spec.containers) {
    addTo(sums, choose(container, statusOf(pod.status?.containerStatuses, container.name)))
  }
  const sidecars: Sums = {}
  const peak: Sums = {}
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) {
      const resources = choose(container, statusOf(pod.status?.initContainerStatuses, container.name))
      addTo(sums, resources)
      addTo(sidecars, resources)
      raiseTo(peak, sidecars)
    } else {
      const together: Sums = {}
      addTo(together, choose(container, undefined))
      addTo(together, sidecars)
      raiseTo(peak, together)
    }
  }
  raiseTo(sums, peak)
  return sums
}

/** Whether pod-level resources support this resource. KEP-2837. */
const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-")

const replaceByPodLevel = (sums: Sums, list: ResourceAmounts | undefined): void => {
  for (const name in list) {
    const quantity = list[name]
    if (quantity !== undefined && isPodLevelResource(name)) sums[name] = amountOf(quantity)
  }
}

/** Returns the pod-level requests; during an in-place resize, the maximum of the old, actual and new ones. */
const podLevelRequests = (
  { spec, status }: Pod,
  useStatus: boolean,
  infeasible: boolean
): ResourceAmounts | undefined => {
  const requests = spec.resources?.requests
  if (requests === undefined || !useStatus || status?.resources === undefined) return requests
  return maximumOf(infeasible ? undefined : requests, status.resources.requests, status.allocatedResources)
}

const withMissing = (
  list: ResourceAmounts | undefined,
  missing: ResourceList | undefined
): ResourceAmounts | undefined => (missing === undefined ? list : { ...missing, ...list })

/**
 * Returns a pod's requests: the peak of its containers, replaced by pod-level requests where they are set, plus
 * overhead. Upstream: staging/src/k8s.io/component-helpers/resource/helpers.go, PodRequests.
 */
export const podRequests = (pod: Pod, options: PodResourcesOptions = {}): Amounts => {
  const infeasible = options.useStatusResources === true && isResizeInfeasible(pod)
  const choose: ChooseResources = (container, status) => {
    const spec = container.resources?.requests
    const resources =
      status === undefined
        ? spec
        : maximumOf(infeasible ? undefined : spec, status.resources?.requests, status.allocatedResources)
    return withMissing(resources, options.nonMissingContainerRequests)
  }
  const sums = options.skipContainerLevelResources ? {} : peakOf(pod, options.useStatusResources ?? false, choose)
  if (!options.skipPodLevelResources) {
    const useStatus = options.useStatusResources === true && options.specPodLevelResources !== true
    replaceByPodLevel(sums, podLevelRequests(pod, useStatus, infeasible))
  }
  if (!options.excludeOverhead) addTo(sums, pod.spec.overhead)
  return sums
}

/** Returns a pod's limits, for the resources that have one; overhead is added to them. Upstream: PodLimits. */
export const podLimits = (pod: Pod, options: PodResourcesOptions = {}): Amounts => {
  const infeasible = options.useStatusResources === true && isResizeInfeasible(pod)
  const choose: ChooseResources = (container, status) => {
    const spec = container.resources?.limits
    return status === undefined ? spec : maximumOf(infeasible ? undefined : spec, status.resources?.limits)
  }
  const sums = peakOf(pod, options.useStatusResources ?? false, choose)
  if (!options.skipPodLevelResources) replaceByPodLevel(sums, pod.spec.resources?.limits)
  if (!options.excludeOverhead) {
    for (const [name, quantity] of Object.entries(pod.spec.overhead ?? {})) {
      const sum = sums[name]
      if (sum !== undefined && signOf(sum) !== 0) sums[name] = addQuantity(sum, quantity)
    }
  }
  return sums
}

const sameList = (left: ResourceList = {}, right: ResourceList = {}): boolean => {
  for (const name in left) if (left[name] !== right[name]) return false
  for (const name in right) if (!(name in left)) return false
  return true
}

/**
 * Whether the status reports other resources than the spec has, as it does during an in-place resize. While it does not,
 * requests and limits are those of the spec.
 */
export const reportsOtherResources = ({ spec, status }: Pod): boolean => {
  if (status === undefined) return false
  if (status.resources !== undefined && spec.resources !== undefined) return true
  const differs = (containers: ReadonlyArray<Container>, statuses: ReadonlyArray<ContainerStatus> = []): boolean =>
    statuses.some(({ allocatedResources, name, resources }, index) => {
      if (resources === undefined) return false
      const container = containers[index]?.name === name ? containers[index] : undefined
      return (
        container === undefined ||
        !sameList(resources.requests, container.resources?.requests) ||
        !sameList(resources.limits, container.resources?.limits) ||
        !sameList(allocatedResources, container.resources?.requests)
      )
    })
  return (
    differs(spec.containers, status.containerStatuses) ||
    differs(spec.initContainers ?? [], status.initContainerStatuses)
  )
}

/** Formats amounts in wire form. */
export const formatAmounts = (amounts: Amounts): ResourceList =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]))
