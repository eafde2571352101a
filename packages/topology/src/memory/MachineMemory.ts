import type { NumaNode } from "../MachineTopology.ts"

/** One kind of memory (`memory`, `hugepages-2Mi`, …) of a NUMA node, in bytes. */
export interface MemoryTable {
  readonly total: number
  readonly systemReserved: number
  readonly allocatable: number
  readonly reserved: number
  readonly free: number
}

export interface NodeMemory {
  /** Number of blocks on this node: a container with memory and one size of huge pages has two. */
  readonly numberOfAssignments: number
  readonly memoryMap: Readonly<Record<string, MemoryTable>>
  /** The group of nodes that its blocks span, ascending; only itself while unused. */
  readonly cells: ReadonlyArray<number>
}

/**
 * The memory of a machine by NUMA node id, as in the checkpoint. Upstream: memorymanager/state/state.go NUMANodeMap.
 */
export type MachineMemory = Readonly<Record<number, NodeMemory>>

/** Memory of a container on these nodes, ascending. */
export interface MemoryBlock {
  readonly numaAffinity: ReadonlyArray<number>
  readonly type: string
  readonly size: number
}

/** Bytes by kind. */
export type Bytes = Readonly<Record<string, number>>

export const noMemory: MemoryTable = { total: 0, systemReserved: 0, allocatable: 0, reserved: 0, free: 0 }

/** A node's table of a kind; an empty one if it does not report that kind. */
export const tableOf = (memory: MachineMemory, node: number, kind: string): MemoryTable =>
  memory[node]?.memoryMap[kind] ?? noMemory

export const nodeIdsOf = (memory: MachineMemory): ReadonlyArray<number> =>
  Object.keys(memory)
    .map(Number)
    .sort((a, b) => a - b)

const unused = (total: number, systemReserved: number, allocatable: number): MemoryTable => ({
  total,
  systemReserved,
  allocatable,
  reserved: 0,
  free: allocatable
})

const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi"] as const

/** `hugepages-2Mi`: the page size in its shortest form. */
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
 * The initial state, with nothing assigned. `reserved`: bytes for the system by NUMA node and kind.
 * Upstream: policy_static.go getDefaultMachineState.
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
      const kept = reserved[node.id]?.[kind] ?? 0
      tables[kind] = unused(total, kept, total - kept)
      inHugePages += total
    }
    const kept = reserved[node.id]?.memory ?? 0
    tables.memory = unused(node.memory, kept, node.memory - kept - inHugePages)
    memory[node.id] = { numberOfAssignments: 0, memoryMap: tables, cells: [node.id] }
  }
  return memory
}

/** Moves bytes from one field to the other; node by node until all are moved. */
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

/** Takes a block's size from its nodes, in ascending order, and makes them one group. */
export const chargeBlock = (memory: MachineMemory, block: MemoryBlock): MachineMemory =>
  moveMemory(memory, block, 1, "free", "reserved")

/** Releases blocks; a node without any becomes a group of its own. Upstream: policy_static.go releaseMemory. */
export const releaseBlocks = (memory: MachineMemory, blocks: ReadonlyArray<MemoryBlock>): MachineMemory =>
  blocks.reduce((current, block) => moveMemory(current, block, -1, "reserved", "free"), memory)
