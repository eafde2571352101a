import {
  type Container,
  milliValue,
  type Pod,
  podLimits,
  podRequests,
  type Quantity,
  type Release,
  type ResourceList,
  value
} from "@rollcall/api"

/** An amount of an extended or hugepages resource. */
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
  readonly ephemeral: number
  /** Sorted by name. */
  readonly scalars: ReadonlyArray<ScalarDemand>
  /** No requests: the pod fits wherever another pod may be added. */
  readonly isZero: boolean
  /** With 100m and 200 MiB for containers without cpu or memory requests. For scores only. */
  readonly nonZeroCpu: number
  readonly nonZeroMemory: number
}

/** Upstream: pkg/scheduler/util/pod_resources.go. */
const nonMissingContainerRequests: ResourceList = { cpu: "100m", memory: "200Mi" }

/** Number of cached pod shapes before all are dropped. */
const SHAPES_LIMIT = 10_000

const listKey = (list: ResourceList | undefined): string => {
  let key = ""
  for (const name in list) key += `${name}=${list[name]},`
  return key
}

const containersKey = (containers: ReadonlyArray<Container> | undefined, limits: boolean): string => {
  let key = ""
  for (const { resources, restartPolicy } of containers ?? []) {
    key += `${restartPolicy};${listKey(resources?.requests)}${limits ? `;${listKey(resources?.limits)}` : ""}|`
  }
  return key
}

/** Empty unless the pod's status has resources: during an in-place resize the larger of spec and status counts. */
const resizeKey = ({ spec, status }: Pod): string => {
  if (status === undefined) return ""
  const reported =
    status.resources !== undefined || status.containerStatuses?.some(({ resources }) => resources !== undefined)
  if (reported !== true) return ""
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

const shapeKey = (pod: Pod, limits: boolean): string => {
  const { containers, initContainers, overhead, resources } = pod.spec
  return `${containersKey(containers, limits)}/${containersKey(initContainers, limits)}/${listKey(overhead)}/${listKey(resources?.requests)}/${resizeKey(pod)}`
}

/** An amount of a resource in the scheduler's unit for it. */
export const amountOfResource = (name: string, quantity: Quantity): number =>
  name === "cpu" ? milliValue(quantity) : value(quantity)

/** Upstream: pkg/apis/core/v1/helper IsExtendedResourceName, for names that the API admits. */
export const isExtendedResource = (name: string): boolean =>
  name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.")

/**
 * Resources besides cpu, memory, ephemeral storage and pods that the scheduler counts. Upstream: pkg/scheduler/util
 * IsScalarResourceName.
 */
export const isScalarResource = (name: string): boolean =>
  name.includes("/") || name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")

/** Computes requests, once for all pods of a shape, and assigns a slot to each extended resource. */
export class Demands {
  private readonly slots = new Map<string, number>()
  private readonly shapes = new Map<string, PodDemand>()
  private readonly byLimits: boolean

  constructor(podsFitBy: Release["podsFitBy"]) {
    this.byLimits = podsFitBy === "limitsInCapacity"
  }

  slotOf(resource: string): number {
    const known = this.slots.get(resource)
    if (known !== undefined) return known
    const slot = this.slots.size
    this.slots.set(resource, slot)
    return slot
  }

  of(pod: Pod): PodDemand {
    const key = shapeKey(pod, this.byLimits)
    const known = this.shapes.get(key)
    if (known !== undefined) return known
    if (this.shapes.size >= SHAPES_LIMIT) this.shapes.clear()
    const demand = this.compute(pod)
    this.shapes.set(key, demand)
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
