import {
  addQuantity,
  equalQuantity,
  formatQuantity,
  type QuantityLike,
  type ResourceList,
  value,
  zeroQuantity
} from "@rollcall/api"
import type { Bytes } from "./MachineMemory.ts"
import { isMemoryKind } from "./requests.ts"

/** `reservedMemory` of the kubelet's configuration. */
export type ReservedMemory = ReadonlyArray<{ readonly numaNode: number; readonly limits: ResourceList }>

/**
 * Returns the kubelet's error if the memory reserved on the nodes does not add up to the node allocatable reservation
 * (kube reserved, system reserved and the hard eviction threshold), or undefined if it does. Upstream:
 * memorymanager/memory_manager.go validateReservedMemory.
 */
export const reservedMemoryError = (
  numaNodes: ReadonlyArray<number>,
  nodeAllocatableReservation: Readonly<Record<string, QuantityLike>>,
  reservedMemory: ReservedMemory
): string | undefined => {
  const totals = new Map<string, QuantityLike>()
  for (const { limits, numaNode } of reservedMemory) {
    if (!numaNodes.includes(numaNode)) {
      return `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`
    }
    for (const [kind, quantity] of Object.entries(limits)) {
      const sum = totals.get(kind)
      totals.set(kind, sum === undefined ? quantity : addQuantity(quantity, sum))
    }
  }
  const kinds = new Set([...totals.keys(), ...Object.keys(nodeAllocatableReservation).filter(isMemoryKind)])
  for (const kind of [...kinds].sort()) {
    const total = addQuantity(zeroQuantity, totals.get(kind) ?? zeroQuantity)
    const expected = addQuantity(zeroQuantity, nodeAllocatableReservation[kind] ?? zeroQuantity)
    if (equalQuantity(total, expected)) continue
    const [actual, expectedText] = [formatQuantity(total), formatQuantity(expected)]
    return `the total amount "${actual}" of type "${kind}" is not equal to the value "${expectedText}" determined by Node Allocatable feature`
  }
  return undefined
}

/**
 * Returns the reserved bytes by NUMA node and kind. A later entry for the same node and kind replaces an earlier one.
 */
export const reservedByNode = (reservedMemory: ReservedMemory): Readonly<Record<number, Bytes>> => {
  const byNode: Record<number, Record<string, number>> = {}
  for (const { limits, numaNode } of reservedMemory) {
    const bytes = Object.entries(limits).map(([kind, quantity]) => [kind, value(quantity)] as const)
    byNode[numaNode] = { ...byNode[numaNode], ...Object.fromEntries(bytes) }
  }
  return byNode
}
