import type { NumaNode } from "../MachineTopology.ts"

/** The bytes of one kind of memory (`memory`, `hugepages-2Mi`, …) on a NUMA node. */
export interface MemoryTable {
  readonly total: number
  readonly systemReserved: number
  readonly allocatable: number
  readonly reserved: number
  readonly free: number
}

/** The memory of a NUMA node. */
export interface NodeMemory {
  /** The number of blocks on this node. A container with memory and one size of huge pages has two. */
  readonly numberOfAssignments: number
  /** The tables of the node, by kind of memory. */
  readonly memoryMap: Readonly<Record<string, MemoryTable>>
  /** The group of nodes that the blocks on this node span, ascending; only the node itself while it is unused. */
  readonly cells: ReadonlyArray<number>
}

/**
 * The memory of a machine by NUMA node id, as in the checkpoint. Upstream: memorymanager/state/state.go NUMANodeMap.
 */
export type MachineMemory = Readonly<Record<number, NodeMemory>>

/** The memory of one kind that a container has on a group of nodes, whose ids are ascending. */
export interface MemoryBlock {
  readonly numaAffinity: ReadonlyArray<number>
  readonly type: string
  readonly size: number
}

/** Bytes by kind of memory. */
export type Bytes = Readonly<Record<string, number>>

/** The table of a kind that a node does not have. */
export const noMemory: MemoryTable = { total: 0, systemReserved: 0, allocatable: 0, reserved: 0, free: 0 }

/** Returns a node's table of a kind, or an empty one if the node does not report that kind. */
export const tableOf = (memory: MachineMemory, node: number, kind: string): MemoryTable =>
  memory[node]?.memoryMap[kind] ?? noMemory

/** Returns the ids of the nodes, ascending. */
export const nodeIdsOf = (memory: MachineMemory): ReadonlyArray<number> =>
  Object.keys(memory)
    .map(Number)
    .sort((a, b) => a - b)

const unusedTable = (total: number, systemReserved: number, allocatable: number): MemoryTable => ({
  total,
  systemReserved,
  allocatable,
  reserved: 0,
  free: allocatable
})

const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi"] as const

/** Returns the name of a huge page resource, with the page size in its shortest form: `hugepages-2Mi`. */
export const hugePagesName = (pageSizeKiB: number): string => {
  let size = pageSizeKiB
  let suffix = 0
  while (size >= 1024 && size % 1024 === 0 && suffix < binarySuffixes.length - 1) {
    size /= 1024
    suffix++
  }
  return `hugepages-${size}${binarySuffixes[suffix]}`
}

/**
 * Returns the initial state, in which nothing is assigned. `reserved` are the bytes for the system, by NUMA node and
 * kind. Upstream: policy_static.go getDefaultMachineState.
 */
export const initialMemory = (
  numaNodes: ReadonlyArray<NumaNode>,
  reserved: Readonly<Record<number, Bytes>>
): MachineMemory => {
  const memory: Record<number, NodeMemory> = {}
  for (const node of numaNodes) {
    const tables: Record<string, MemoryTable> = {}
    let inHugePages = 0
    for (const { count, pageSizeKiB } of node.hugePages) {
      const kind = hugePagesName(pageSizeKiB)
      const total = count * pageSizeKiB * 1024
      const systemReserved = reserved[node.id]?.[kind] ?? 0
      tables[kind] = unusedTable(total, systemReserved, total - systemReserved)
      inHugePages += total
    }
    const systemReserved = reserved[node.id]?.memory ?? 0
    tables.memory = unusedTable(node.memory, systemReserved, node.memory - systemReserved - inHugePages)
    memory[node.id] = { numberOfAssignments: 0, memoryMap: tables, cells: [node.id] }
  }
  return memory
}

/** Moves a block's bytes from one field to the other, node by node until all are moved, and counts the assignment. */
const moveMemory = (
  memory: MachineMemory,
  block: MemoryBlock,
  assignments: 1 | -1,
  from: "free" | "reserved",
  to: "free" | "reserved"
): MachineMemory => {
  const next: Record<number, NodeMemory> = { ...memory }
  let remaining = block.size
  for (const id of block.numaAffinity) {
    const node = next[id]
    if (node === undefined) continue
    const numberOfAssignments = node.numberOfAssignments + assignments
    const cells = assignments === 1 ? block.numaAffinity : numberOfAssignments === 0 ? [id] : node.cells
    const table = node.memoryMap[block.type]
    const moved = Math.max(0, Math.min(remaining, table?.[from] ?? 0))
    remaining -= moved
    const memoryMap =
      table === undefined || moved === 0
        ? node.memoryMap
        : { ...node.memoryMap, [block.type]: { ...table, [from]: table[from] - moved, [to]: table[to] + moved } }
    next[id] = { numberOfAssignments, memoryMap, cells }
  }
  return next
}

/** Takes a block's bytes from its nodes, in ascending order, and makes the nodes one group. */
export const chargeBlock = (memory: MachineMemory, block: MemoryBlock): MachineMemory =>
  moveMemory(memory, block, 1, "free", "reserved")

/**
 * Releases blocks. A node that has no more blocks becomes a group of its own. Upstream: policy_static.go releaseMemory.
 */
export const releaseBlocks = (memory: MachineMemory, blocks: ReadonlyArray<MemoryBlock>): MachineMemory =>
  blocks.reduce((current, block) => moveMemory(current, block, -1, "reserved", "free"), memory)
