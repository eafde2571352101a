import type { NodeInfo } from "../cache/CacheRecords.ts"
import type { PodDemand } from "../cache/PodDemand.ts"
import type { SchedulingCache } from "../cache/SchedulingCache.ts"

/** A resource that is scored, with its weight. */
export interface WeightedResource {
  readonly name: string
  readonly weight: number
}

/** A resource of a node, in milli for cpu and else in whole units. */
export interface Usage {
  readonly allocatable: number
  /** The requests of the node's pods. */
  readonly used: number
  /** The request of the new pod. */
  readonly requested: number
}

/** Returns the allocatable amount and the requests of a resource; undefined if the node does not have it. */
export type MeasureUsage = (node: NodeInfo) => Usage | undefined

const usage = (allocatable: number, used: number, requested: number): Usage | undefined =>
  allocatable === 0 ? undefined : { allocatable, used, requested }

/**
 * Prepares the measurement of one resource on nodes, for a pod. With `nonZero`, containers without cpu or memory
 * requests count with a small default. Returns undefined for an extended resource that the pod does not request: it is
 * not scored. Upstream: noderesources/resource_allocation.go calculateResourceAllocatableRequest.
 */
export const usageOf = (
  resource: string,
  demand: PodDemand,
  cache: SchedulingCache,
  nonZero: boolean
): MeasureUsage | undefined => {
  switch (resource) {
    case "cpu":
      return nonZero
        ? (node) => usage(node.allocatableCpu, node.nonZeroCpu, demand.nonZeroCpu)
        : (node) => usage(node.allocatableCpu, node.requestedCpu, demand.cpu)
    case "memory":
      return nonZero
        ? (node) => usage(node.allocatableMemory, node.nonZeroMemory, demand.nonZeroMemory)
        : (node) => usage(node.allocatableMemory, node.requestedMemory, demand.memory)
    case "ephemeral-storage":
      return (node) => usage(node.allocatableEphemeral, node.requestedEphemeral, demand.ephemeral)
  }
  const slot = cache.slotOf(resource)
  const requested = demand.scalars.find((scalar) => scalar.slot === slot)?.amount ?? 0
  if (requested === 0) return undefined
  return (info) => {
    const allocatable = info.allocatableScalars[slot] ?? 0
    if (allocatable > 0 || info.node === undefined)
      return usage(allocatable, info.requestedScalars[slot] ?? 0, requested)
    // No device plugin has it there: devices of a class may.
    const { allocated = 0, capacity = 0 } = cache.devices?.totals(resource, info.node) ?? {}
    return usage(capacity, allocated, requested)
  }
}
