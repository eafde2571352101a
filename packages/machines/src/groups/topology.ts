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
  /** Cores that share a last-level cache; absent: all cores of a NUMA node. */
  coresPerUncoreCache: Schema.optionalKey(count),
  memoryPerNumaNode: Quantity,
  /** Pages on each NUMA node by size: `2Mi: 512`. */
  hugePagesPerNumaNode: Schema.optionalKey(
    Schema.Record(Schema.String.check(Schema.makeFilter(isQuantity, { expected: "a page size such as 2Mi" })), count)
  ),
  /** From each NUMA node to each; absent: 10 to itself, 12 within a socket, 21 beyond. */
  distances: Schema.optionalKey(Schema.Array(Schema.Array(Schema.Finite)))
})
export interface TopologySpec extends Schema.Schema.Type<typeof TopologySpec> {}

const KIB = 1024
/** The machine that a scenario describes. */
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

/** The capacity of such a machine, by resource. */
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

/** The default capacity. */
export const DEFAULT_CAPACITY: ResourceList = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" }

export interface Hardware {
  readonly capacity: ResourceList
  readonly topology: MachineTopology | undefined
  readonly swapBytes: number
}

/** The capacity and topology of each machine of a group. */
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
