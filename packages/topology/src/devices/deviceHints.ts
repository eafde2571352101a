import type { TopologyHint } from "../hints.ts"
import { maskCount, maskOf, masksOver } from "../masks.ts"

/** A device as its plugin reports it. */
export interface Device {
  readonly id: string
  readonly healthy: boolean
  /** Empty: no NUMA affinity. */
  readonly numaNodes: ReadonlyArray<number>
}

/** By resource name, such as `nvidia.com/gpu`. */
export type DeviceInventory = Readonly<Record<string, ReadonlyArray<Device>>>

/** Whether a resource has NUMA affinity: any of its devices does. */
export const hasNumaAffinity = (devices: ReadonlyArray<Device>): boolean =>
  devices.some(({ numaNodes }) => numaNodes.length > 0)

const nodesOf = (all: ReadonlyArray<Device>, machineNodes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const hosting = new Set(all.flatMap(({ numaNodes }) => numaNodes))
  const nodes = machineNodes.filter((id) => hosting.has(id))
  return nodes.length === 0 ? machineNodes : nodes
}

/**
 * The node sets that contain as many devices as requested, including all reusable ones. Preferred are those of the
 * smallest size that could, if all devices were free and healthy. Upstream: devicemanager/topology_hints.go
 * generateDeviceTopologyHints.
 */
export const deviceHints = (
  all: ReadonlyArray<Device>,
  machineNodes: ReadonlyArray<number>,
  available: ReadonlySet<string>,
  reusable: ReadonlySet<string>,
  request: number
): ReadonlyArray<TopologyHint> => {
  const placed = all.map(({ id, numaNodes }) => ({ id, mask: maskOf(numaNodes) }))
  let least = machineNodes.length
  const fitting = masksOver(nodesOf(all, machineNodes)).filter((mask) => {
    const inside = placed.filter((device) => (device.mask & mask) !== 0n)
    if (inside.length >= request) least = Math.min(least, maskCount(mask))
    const leavesOut = placed.some(
      (device) => reusable.has(device.id) && device.mask !== 0n && (device.mask & mask) === 0n
    )
    return !leavesOut && inside.filter(({ id }) => available.has(id) || reusable.has(id)).length >= request
  })
  return fitting.map((mask) => ({ mask, preferred: maskCount(mask) === least }))
}
