import {
  type Container,
  milliValue,
  type Pod,
  podLimits,
  podRequests,
  type Quantity,
  type Release,
  type ResourceList,
  reportsOtherResources,
  value
} from "@rollcall/api"

/** A request of an extended resource, of hugepages, or of attachable volumes. */
export interface ScalarDemand {
  readonly name: string
  /** Index of the resource in the arrays of a NodeInfo. */
  readonly slot: number
  readonly amount: number
}

/** A pod's requests as plain numbers: cpu in milli, the rest in whole units. */
export interface PodDemand {
  readonly cpu: number
  readonly memory: number
  /** Ephemeral storage. */
  readonly ephemeral: number
  /** Sorted by name. */
  readonly scalars: ReadonlyArray<ScalarDemand>
  /** Whether there are no requests: the pod fits on each node that accepts another pod. */
  readonly isZero: boolean
  /** Requests in which containers without one count with 100m cpu and 200 MiB. Only scores use them. */
  readonly nonZeroCpu: number
  readonly nonZeroMemory: number
}

/** What containers without requests count with in scores. Upstream: pkg/scheduler/util/pod_resources.go. */
const nonMissingContainerRequests: ResourceList = { cpu: "100m", memory: "200Mi" }

/** Number of cached demands at which all are dropped: more than a cluster has pod templates. */
const MAX_CACHED_DEMANDS = 10_000

const resourcesKey = (list: ResourceList | undefined): string => {
  let key = ""
  for (const name in list) key += `${name}=${list[name]},`
  return key
}

const containersKey = (containers: ReadonlyArray<Container> | undefined, limits: boolean): string => {
  let key = ""
  for (const { resources, restartPolicy } of containers ?? []) {
    key += `${restartPolicy};${resourcesKey(resources?.requests)}${limits ? `;${resourcesKey(resources?.limits)}` : ""}|`
  }
  return key
}

/** The part of the key from the pod's status: during an in-place resize, the larger of spec and status counts. */
const resizeKey = (pod: Pod): string => {
  const { spec, status } = pod
  if (status === undefined || !reportsOtherResources(pod)) return ""
  const names = [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name)
  return JSON.stringify([
    names,
    status.containerStatuses?.map(({ allocatedResources, name, resources }) => [name, resources, allocatedResources]),
    status.initContainerStatuses?.map(({ allocatedResources, name, resources }) => [
      name,
      resources,
      allocatedResources
    ]),
    status.resources?.requests,
    status.allocatedResources,
    status.conditions?.find(({ type }) => type === "PodResizePending")?.reason
  ])
}

/** Identifies everything in a pod that its requests depend on. */
const demandKey = (pod: Pod, limits: boolean): string => {
  const { containers, initContainers, overhead, resources } = pod.spec
  return `${containersKey(containers, limits)}/${containersKey(initContainers, limits)}/${resourcesKey(overhead)}/${resourcesKey(resources?.requests)}/${resizeKey(pod)}`
}

/** A quantity as a number: cpu in milli, other resources in whole units. */
export const amountOfResource = (name: string, quantity: Quantity): number =>
  name === "cpu" ? milliValue(quantity) : value(quantity)

/** Whether the resource is an extended one. Upstream: pkg/apis/core/v1/helper IsExtendedResourceName. */
export const isExtendedResource = (name: string): boolean =>
  name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.")

/**
 * Whether the scheduler counts the resource, besides cpu, memory, ephemeral storage and pods. Upstream:
 * pkg/scheduler/util IsScalarResourceName.
 */
export const isScalarResource = (name: string): boolean =>
  name.includes("/") || name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")

/**
 * Computes the demands of pods, once for all pods with equal resources, and assigns a slot to each extended resource.
 */
export class Demands {
  private readonly slots = new Map<string, number>()
  private readonly byKey = new Map<string, PodDemand>()
  /** Demands by the containers alone, which the pods of a workload share: no key has to be made for them. */
  private readonly byContainers = new WeakMap<ReadonlyArray<Container>, PodDemand>()
  private readonly byLimits: boolean

  constructor(podsFitBy: Release["podsFitBy"]) {
    this.byLimits = podsFitBy === "limitsInCapacity"
  }

  /** The index of the resource in the arrays of a NodeInfo. */
  slotOf(resource: string): number {
    const known = this.slots.get(resource)
    if (known !== undefined) return known
    const slot = this.slots.size
    this.slots.set(resource, slot)
    return slot
  }

  of(pod: Pod): PodDemand {
    const { containers, initContainers, overhead, resources } = pod.spec
    const isPlain = initContainers === undefined && overhead === undefined && resources === undefined
    if (!isPlain || reportsOtherResources(pod)) return this.ofKey(pod)
    const known = this.byContainers.get(containers)
    if (known !== undefined) return known
    const demand = this.ofKey(pod)
    this.byContainers.set(containers, demand)
    return demand
  }

  private ofKey(pod: Pod): PodDemand {
    const key = demandKey(pod, this.byLimits)
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    if (this.byKey.size >= MAX_CACHED_DEMANDS) this.byKey.clear()
    const demand = this.compute(pod)
    this.byKey.set(key, demand)
    return demand
  }

  private compute(pod: Pod): PodDemand {
    const sums = this.byLimits
      ? podLimits(pod, { useStatusResources: true })
      : podRequests(pod, { useStatusResources: true })
    const { cpu, "ephemeral-storage": ephemeral, memory, ...others } = sums
    const nonZero = podRequests(pod, { useStatusResources: true, nonMissingContainerRequests })
    const demand = {
      cpu: cpu === undefined ? 0 : milliValue(cpu),
      memory: memory === undefined ? 0 : value(memory),
      ephemeral: ephemeral === undefined ? 0 : value(ephemeral),
      scalars: Object.entries(others)
        .filter(([name]) => isScalarResource(name))
        .map(([name, amount]) => ({ name, slot: this.slotOf(name), amount: value(amount) }))
        .sort((left, right) => (left.name < right.name ? -1 : 1)),
      nonZeroCpu: nonZero.cpu === undefined ? 0 : milliValue(nonZero.cpu),
      nonZeroMemory: nonZero.memory === undefined ? 0 : value(nonZero.memory)
    }
    const isZero = demand.cpu === 0 && demand.memory === 0 && demand.ephemeral === 0 && demand.scalars.length === 0
    return { ...demand, isZero }
  }
}
