import type { MachineTopology, NumaNode } from "./MachineTopology.ts"

/** The description of a machine whose NUMA nodes are all alike. */
export interface UniformMachine {
  readonly numaNodes: number
  readonly coresPerNode: number
  /** Default 2. */
  readonly threadsPerCore?: number
  /** Default 1. */
  readonly nodesPerSocket?: number
  /** The bytes of memory of each node. */
  readonly memoryPerNode: number
  /** The huge pages of each node. */
  readonly hugePages?: NumaNode["hugePages"]
  /** The number of cores that share a last-level cache; default: all cores of a node. */
  readonly coresPerUncoreCache?: number
  /** The distances from each node to each; default: 10 to itself, 12 within a socket, 21 to other sockets. */
  readonly distances?: ReadonlyArray<ReadonlyArray<number>>
}

/**
 * Returns the topology of a machine whose NUMA nodes are all alike. CPUs are numbered as Linux does on most servers:
 * first one thread of each core, node by node, then the second threads.
 */
export const uniformMachine = (given: UniformMachine): MachineTopology => {
  const { coresPerNode, hugePages = [], memoryPerNode, nodesPerSocket = 1, threadsPerCore = 2 } = given
  const { coresPerUncoreCache = coresPerNode } = given
  const cores = given.numaNodes * coresPerNode
  const nodeIds = Array.from({ length: given.numaNodes }, (_, id) => id)
  const socketOf = (node: number): number => Math.floor(node / nodesPerSocket)
  const distance = (from: number, to: number): number => (from === to ? 10 : socketOf(from) === socketOf(to) ? 12 : 21)
  return {
    cpus: Array.from({ length: cores * threadsPerCore }, (_, id) => {
      const core = id % cores
      const numaNode = Math.floor(core / coresPerNode)
      return { id, core, socket: socketOf(numaNode), numaNode, uncoreCache: Math.floor(core / coresPerUncoreCache) }
    }),
    numaNodes: nodeIds.map((id) => ({
      id,
      memory: memoryPerNode,
      hugePages,
      distances: given.distances?.[id] ?? nodeIds.map((to) => distance(id, to))
    }))
  }
}
