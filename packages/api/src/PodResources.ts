import type { Container } from "./objects/Container.ts"
import type { Pod } from "./objects/Pod.ts"
import type { ContainerStatus } from "./objects/PodStatus.ts"
import type { Quantity, ResourceList } from "./objects/Scalars.ts"
import type { Amount } from "./quantity/Amount.ts"
import { addQuantity, amountOf, compareQuantity, formatQuantity, signOf } from "./quantity/Quantity.ts"

/** Sums by resource name. */
export type Amounts = Readonly<Record<string, Amount>>

export interface PodResourcesOptions {
  readonly excludeOverhead?: boolean
  /** Take the status of an in-place resize into account. */
  readonly useStatusResources?: boolean
  readonly skipPodLevelResources?: boolean
  /** For requests only. */
  readonly skipContainerLevelResources?: boolean
  /** For each container, the request for a resource that it does not mention. For requests only. */
  readonly nonMissingContainerRequests?: ResourceList
}

type Sums = Record<string, Amount>
type Listed = Readonly<Record<string, Quantity | Amount>>

const addTo = (sums: Sums, list: Listed | undefined): void => {
  for (const name in list) {
    const quantity = list[name]
    if (quantity === undefined) continue
    const sum = sums[name]
    sums[name] = sum === undefined ? amountOf(quantity) : addQuantity(sum, quantity)
  }
}

const raiseTo = (sums: Sums, list: Listed | undefined): void => {
  for (const name in list) {
    const quantity = list[name]
    if (quantity === undefined) continue
    const sum = sums[name]
    if (sum === undefined || compareQuantity(quantity, sum) > 0) sums[name] = amountOf(quantity)
  }
}

/** The greatest of several lists, resource by resource. */
const greatest = (...lists: ReadonlyArray<ResourceList | undefined>): Sums => {
  const sums: Sums = {}
  for (const list of lists) raiseTo(sums, list)
  return sums
}

/** An init container that runs on beside the others. KEP-753. */
export const isSidecar = (container: Pick<Container, "restartPolicy">): boolean => container.restartPolicy === "Always"

/** The first PodResizePending condition says that the node can never grant the resize. */
const isResizeInfeasible = (pod: Pod): boolean =>
  pod.status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible"

/** Spec and status of one container to what it takes. */
type Choose = (container: Container, status: ContainerStatus | undefined) => Listed | undefined

/**
 * What all containers together take at their peak: main containers and sidecars side by side, or one plain init container
 * beside the sidecars started before it, whichever is more.
 */
const aggregate = (pod: Pod, useStatus: boolean, choose: Choose): Sums => {
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
      const taken = choose(container, statusOf(pod.status?.initContainerStatuses, container.name))
      addTo(sums, taken)
      addTo(sidecars, taken)
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

/** Pod-level resources exist for these only. KEP-2837. */
const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-")

const replaceByPodLevel = (sums: Sums, list: Listed | undefined): void => {
  for (const name in list) {
    const quantity = list[name]
    if (quantity !== undefined && isPodLevelResource(name)) sums[name] = amountOf(quantity)
  }
}

/** What is asked for the pod as a whole; while that is resized in place, the most of what was, is and will be. */
const podLevelRequests = ({ spec, status }: Pod, useStatus: boolean, infeasible: boolean): Listed | undefined => {
  const requests = spec.resources?.requests
  if (requests === undefined || !useStatus || status?.resources === undefined) return requests
  return greatest(infeasible ? undefined : requests, status.resources.requests, status.allocatedResources)
}

const withMissing = (list: Listed | undefined, missing: ResourceList | undefined): Listed | undefined =>
  missing === undefined ? list : { ...missing, ...list }

/**
 * What a pod asks of a node: its containers' peak, pod-level requests in their place, and overhead.
 * Upstream: staging/src/k8s.io/component-helpers/resource/helpers.go, PodRequests.
 */
export const podRequests = (pod: Pod, options: PodResourcesOptions = {}): Amounts => {
  const infeasible = options.useStatusResources === true && isResizeInfeasible(pod)
  const choose: Choose = (container, status) => {
    const spec = container.resources?.requests
    const taken =
      status === undefined
        ? spec
        : greatest(infeasible ? undefined : spec, status.resources?.requests, status.allocatedResources)
    return withMissing(taken, options.nonMissingContainerRequests)
  }
  const sums = options.skipContainerLevelResources ? {} : aggregate(pod, options.useStatusResources ?? false, choose)
  if (!options.skipPodLevelResources) {
    replaceByPodLevel(sums, podLevelRequests(pod, options.useStatusResources ?? false, infeasible))
  }
  if (!options.excludeOverhead) addTo(sums, pod.spec.overhead)
  return sums
}

/** What a pod may use at most, as far as it is limited; overhead is added where there is a limit. Upstream: PodLimits. */
export const podLimits = (pod: Pod, options: PodResourcesOptions = {}): Amounts => {
  const infeasible = options.useStatusResources === true && isResizeInfeasible(pod)
  const choose: Choose = (container, status) => {
    const spec = container.resources?.limits
    return status === undefined ? spec : greatest(infeasible ? undefined : spec, status.resources?.limits)
  }
  const sums = aggregate(pod, options.useStatusResources ?? false, choose)
  if (!options.skipPodLevelResources) replaceByPodLevel(sums, pod.spec.resources?.limits)
  if (!options.excludeOverhead) {
    for (const [name, quantity] of Object.entries(pod.spec.overhead ?? {})) {
      const sum = sums[name]
      if (sum !== undefined && signOf(sum) !== 0) sums[name] = addQuantity(sum, quantity)
    }
  }
  return sums
}

/** Sums in wire shape. */
export const formatAmounts = (amounts: Amounts): ResourceList =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]))
