import type { Device, DeviceClass, Node } from "@rollcall/api"
import { isForNode, type Slices } from "./pools.ts"
import type { Selectors } from "./selectors.ts"
import { type DeviceUsage, deviceId } from "./usage.ts"

/** How many devices of a class a node can reach, and how many of them claims have. */
export interface ClassTotals {
  readonly capacity: number
  readonly allocated: number
}

export interface TotalsParts {
  readonly slices: Slices
  readonly selectors: Selectors
  readonly usage: DeviceUsage
}

/** Whether all selectors of a class hold; undefined if one of them fails. */
const isOfClass = (
  { spec }: DeviceClass,
  selectors: Selectors,
  device: Device,
  driver: string
): boolean | undefined => {
  for (const { cel } of spec.selectors ?? []) {
    const answer = cel === undefined ? true : selectors.matches(cel.expression, device, driver)
    if (typeof answer === "string") return undefined
    if (!answer) return false
  }
  return true
}

/**
 * Counts the devices of a class on a node, for scores of the extended resource that the class provides; undefined if a
 * selector fails. Slices count as they are, also those of a pool that is not complete. Upstream: calculateDRAResourceTotals of
 * noderesources/resource_allocation.go.
 */
export const classTotals = (
  { selectors, slices, usage }: TotalsParts,
  deviceClass: DeviceClass,
  node: Node
): ClassTotals | undefined => {
  let capacity = 0
  let allocated = 0
  for (const { spec } of slices.candidates(node.metadata.name ?? "")) {
    const isPerDevice = spec.perDeviceNodeSelection === true
    if (!isPerDevice && !isForNode(spec, node)) continue
    for (const device of spec.devices ?? []) {
      if (isPerDevice && !isForNode(device, node)) continue
      const isCounted = isOfClass(deviceClass, selectors, device, spec.driver)
      if (isCounted === undefined) return undefined
      if (!isCounted) continue
      capacity++
      const id = deviceId(spec.driver, spec.pool.name, device.name)
      if (usage.isTaken(id) || usage.isShared(id)) allocated++
    }
  }
  return { capacity, allocated }
}
