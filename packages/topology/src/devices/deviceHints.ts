import type { TopologyHint } from "../hints.ts"
import { maskCount, maskOf, masksOver } from "../masks.ts"

/** A device as its plugin reports it. */
export interface Device {
  readonly id: string
  readonly healthy: boolean
  /** The NUMA nodes that the device is near; empty if it has no NUMA affinity. */
  readonly numaNodes: ReadonlyArray<number>
}

/** The devices of a machine by resource, such as `nvidia.com/gpu`. */
export type DeviceInventory = Readonly<Record<string, ReadonlyArray<Device>>>

/** Whether a resource has NUMA affinity, because one of its devices has. */
export const hasNumaAffinity = (devices: ReadonlyArray<Device>): boolean =>
  devices.some(({ numaNodes }) => numaNodes.length > 0)

/** Returns the NUMA nodes that have devices, or all nodes if none has. */
const nodesOf = (all: ReadonlyArray<Device>, machineNodes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const hosting = new Set(all.flatMap(({ numaNodes }) => numaNodes))
  const nodes = machineNodes.filter((id) => hosting.has(id))
  return nodes.length === 0 ? machineNodes : nodes
}

/**
 * Returns the sets of nodes that contain as many devices as requested, including all reusable ones. The preferred ones
 * have the smallest size for which the devices would suffice if all were free and healthy. Upstream:
 * devicemanager/topology_hints.go generateDeviceTopologyHints.
 */
export const deviceHints = (
  all: ReadonlyArray<Device>,
  machineNodes: ReadonlyArray<number>,
  available: ReadonlySet<string>,
  reusable: ReadonlySet<string>,
  request: number
): ReadonlyArray<TopologyHint> => {
  const devices = all.map(({ id, numaNodes }) => ({ id, mask: maskOf(numaNodes) }))
  let smallest = machineNodes.length
  const fitting = masksOver(nodesOf(all, machineNodes)).filter((mask) => {
    const inside = devices.filter((device) => (device.mask & mask) !== 0n)
    if (inside.length >= request) smallest = Math.min(smallest, maskCount(mask))
    const excludesReusable = devices.some(
      (device) => reusable.has(device.id) && device.mask !== 0n && (device.mask & mask) === 0n
    )
    return !excludesReusable && inside.filter(({ id }) => available.has(id) || reusable.has(id)).length >= request
  })
  return fitting.map((mask) => ({ mask, preferred: maskCount(mask) === smallest }))
}
