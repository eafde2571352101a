import type { Node, Release } from "@rollcall/api"
import type { NodeInfo } from "./CacheRecords.ts"
import { amountOfResource, type Demands, isScalarResource } from "./PodDemand.ts"

/** Reads what pods may request of a node, or the limits that they may have, by what must fit; returns the info. */
export const readAllocatable = (
  info: NodeInfo,
  { status }: Node,
  podsFitBy: Release["podsFitBy"],
  demands: Demands
): NodeInfo => {
  info.allocatableCpu = 0
  info.allocatableMemory = 0
  info.allocatableEphemeral = 0
  info.allocatablePods = 0
  info.allocatableScalars = []
  const resources = podsFitBy === "limitsInCapacity" ? status?.capacity : status?.allocatable
  for (const [name, quantity] of Object.entries(resources ?? {})) {
    const amount = amountOfResource(name, quantity)
    if (name === "cpu") info.allocatableCpu = amount
    else if (name === "memory") info.allocatableMemory = amount
    else if (name === "ephemeral-storage") info.allocatableEphemeral = amount
    else if (name === "pods") info.allocatablePods = amount
    else if (isScalarResource(name)) info.allocatableScalars[demands.slotOf(name)] = amount
  }
  return info
}
