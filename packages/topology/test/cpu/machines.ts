import type { LogicalCpu, MachineTopology } from "../../src/index.ts"

interface Shape {
  readonly sockets: number
  readonly nodesPerSocket?: number
  readonly coresPerNode: number
  readonly threads?: number
  readonly cachesPerNode?: number
}

/** A regular machine as Linux numbers it: first one thread of every core, then their siblings. */
export const machineOf = ({
  cachesPerNode = 1,
  coresPerNode,
  nodesPerSocket = 1,
  sockets,
  threads = 1
}: Shape): MachineTopology => {
  const nodes = sockets * nodesPerSocket
  const cores = nodes * coresPerNode
  const cpus = Array.from({ length: cores * threads }, (_, id) => {
    const core = id % cores
    const numaNode = Math.floor(core / coresPerNode)
    const cacheInNode = Math.floor(((core % coresPerNode) * cachesPerNode) / coresPerNode)
    return {
      id,
      core,
      socket: Math.floor(numaNode / nodesPerSocket),
      numaNode,
      uncoreCache: numaNode * cachesPerNode + cacheInNode
    }
  })
  return { cpus, numaNodes: Array.from({ length: nodes }, (_, id) => ({ id, memory: 2 ** 34, hugePages: [] })) }
}

/** Returns an irregular machine: `place` overrides fields of each CPU; by default all have one socket, node and cache, and a core each. */
export const irregularMachine = (
  cpus: number,
  place: (id: number) => Partial<Omit<LogicalCpu, "id">>
): MachineTopology => {
  const placed = Array.from({ length: cpus }, (_, id) => {
    return { id, core: id, socket: 0, numaNode: 0, uncoreCache: 0, ...place(id) }
  })
  const nodes = [...new Set(placed.map(({ numaNode }) => numaNode))]
  return { cpus: placed, numaNodes: nodes.map((id) => ({ id, memory: 2 ** 34, hugePages: [] })) }
}

export const singleSocket = machineOf({ sockets: 1, coresPerNode: 4, threads: 2 })
export const dualSocket = machineOf({ sockets: 2, coresPerNode: 6, threads: 2 })
export const fourNodes = machineOf({ sockets: 2, nodesPerSocket: 2, coresPerNode: 4, threads: 2 })
export const eightNodes = machineOf({ sockets: 2, nodesPerSocket: 4, coresPerNode: 4, threads: 2 })
export const withCaches = machineOf({ sockets: 2, coresPerNode: 8, threads: 2, cachesPerNode: 2 })
export const withoutThreads = machineOf({ sockets: 2, coresPerNode: 8, cachesPerNode: 4 })

export const machines = { singleSocket, dualSocket, fourNodes, eightNodes, withCaches, withoutThreads }
