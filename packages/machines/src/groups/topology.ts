import { canonicalQuantity, type ResourceList, value } from "@rollcall/api"
import { isQuantity, Quantity } from "@rollcall/input"
import { type MachineTopology, uniformMachine } from "@rollcall/topology"
import * as Schema from "effect/Schema"

const count = Schema.Finite.check(
  Schema.makeFilter((found: number) => Number.isInteger(found) && found > 0, { expected: "a whole number above 0" })
)

/** Processors and memory of each machine of a group, all NUMA nodes alike, as in most machines. */
export const TopologySpec = Schema.Struct({
  sockets: Schema.optionalKey(count),
  numaNodesPerSocket: Schema.optionalKey(count),
  coresPerNumaNode: count,
  threadsPerCore: Schema.optionalKey(count),
  /** The number of cores that share a last-level cache; absent if all cores of a NUMA node share one. */
  coresPerUncoreCache: Schema.optionalKey(count),
  memoryPerNumaNode: Quantity,
  /** The number of pages on each NUMA node by size, such as `2Mi: 512`. */
  hugePagesPerNumaNode: Schema.optionalKey(
    Schema.Record(Schema.String.check(Schema.makeFilter(isQuantity, { expected: "a page size such as 2Mi" })), count)
  ),
  /**
   * The distances from each NUMA node to each; absent means 10 to itself, 12 within a socket, and 21 to other sockets.
   */
  distances: Schema.optionalKey(Schema.Array(Schema.Array(Schema.Finite)))
})
export interface TopologySpec extends Schema.Schema.Type<typeof TopologySpec> {}

const KIB = 1024
/** Returns the topology of a machine that a scenario describes. */
export const machineOf = (spec: TopologySpec): MachineTopology => {
  const { coresPerNumaNode, numaNodesPerSocket = 1, sockets = 1, threadsPerCore = 1 } = spec
  const { coresPerUncoreCache, distances } = spec
  const hugePages = Object.entries(spec.hugePagesPerNumaNode ?? {}).map(([size, pages]) => ({
    pageSizeKiB: value(size) / KIB,
    count: pages
  }))
  return uniformMachine({
    numaNodes: sockets * numaNodesPerSocket,
    nodesPerSocket: numaNodesPerSocket,
    coresPerNode: coresPerNumaNode,
    threadsPerCore,
    memoryPerNode: value(spec.memoryPerNumaNode),
    hugePages,
    ...(coresPerUncoreCache === undefined ? {} : { coresPerUncoreCache }),
    ...(distances === undefined ? {} : { distances })
  })
}

/** Returns the capacity of cpu, memory and huge pages of a machine. */
export const capacityOf = ({ cpus, numaNodes }: MachineTopology): ResourceList => {
  const total: Record<string, number> = {}
  for (const { hugePages, memory } of numaNodes) {
    total.memory = (total.memory ?? 0) + memory
    for (const { count: pages, pageSizeKiB } of hugePages) {
      const name = `hugepages-${canonicalQuantity(`${pageSizeKiB}Ki`)}`
      total[name] = (total[name] ?? 0) + pages * pageSizeKiB * KIB
    }
  }
  const sizes = Object.entries(total).map(([name, bytes]) => [name, canonicalQuantity(`${bytes / KIB}Ki`)])
  return { cpu: String(cpus.length), ...Object.fromEntries(sizes) }
}

/** The capacity of a machine whose configuration sets none. */
export const DEFAULT_CAPACITY: ResourceList = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" }

/** The resources of a machine. */
export interface Hardware {
  readonly capacity: ResourceList
  /** Undefined if the group does not describe its sockets and NUMA nodes. */
  readonly topology: MachineTopology | undefined
  readonly swapBytes: number
}

/** Returns the resources of each machine of a group. Configured amounts override those of the topology. */
export const hardwareOf = ({
  capacity = {},
  swap = 0,
  topology
}: {
  readonly capacity?: Readonly<Record<string, string | number>>
  readonly swap?: string | number
  readonly topology?: TopologySpec
}): Hardware => {
  const machine = topology === undefined ? undefined : machineOf(topology)
  const given = Object.entries(capacity).map(([name, quantity]) => [name, String(quantity)])
  return {
    capacity: {
      ...DEFAULT_CAPACITY,
      ...(machine === undefined ? {} : capacityOf(machine)),
      ...Object.fromEntries(given)
    },
    topology: machine,
    swapBytes: value(String(swap))
  }
}
