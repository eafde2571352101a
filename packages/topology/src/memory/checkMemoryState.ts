import { chargeBlock, type MachineMemory, type MemoryBlock, nodeIdsOf, tableOf } from "./MachineMemory.ts"
import type { MemoryState } from "./MemoryState.ts"

interface Holding {
  readonly pod: string
  readonly container: string
  readonly blocks: ReadonlyArray<MemoryBlock>
}

/** The blocks of containers, or of the pod if it is managed at pod level. */
const holdingsOf = ({ entries, podEntries }: MemoryState): ReadonlyArray<Holding> => [
  ...[...podEntries].map(([pod, blocks]) => ({ pod, container: "", blocks })),
  ...[...entries]
    .filter(([pod]) => !podEntries.has(pod))
    .flatMap(([pod, containers]) => [...containers].map(([container, blocks]) => ({ pod, container, blocks })))
]

const groupSum = (
  memory: MachineMemory,
  cells: ReadonlyArray<number>,
  kind: string,
  field: "free" | "reserved"
): number => cells.reduce((sum, id) => sum + tableOf(memory, id, kind)[field], 0)

const sameList = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>): boolean =>
  a.length === b.length && a.every((element, index) => element === b[index])

/**
 * Free and reserved bytes are compared over a node's group: on which of its nodes a block's bytes are depends on the
 * order of allocations and releases.
 */
const sameMemory = (a: MachineMemory, b: MachineMemory): boolean =>
  sameList(nodeIdsOf(a), nodeIdsOf(b)) &&
  nodeIdsOf(a).every((id) => {
    const [x, y] = [a[id], b[id]]
    if (x === undefined || y === undefined) return false
    const kinds = Object.keys(x.memoryMap).sort()
    return (
      x.numberOfAssignments === y.numberOfAssignments &&
      sameList(x.cells, y.cells) &&
      sameList(kinds, Object.keys(y.memoryMap).sort()) &&
      kinds.every(
        (kind) =>
          (["total", "systemReserved", "allocatable"] as const).every(
            (field) => tableOf(a, id, kind)[field] === tableOf(b, id, kind)[field]
          ) &&
          (["free", "reserved"] as const).every(
            (field) => groupSum(a, x.cells, kind, field) === groupSum(b, x.cells, kind, field)
          )
      )
    )
  })

/**
 * Why a restored state is invalid: it must equal the machine's initial state, as configured now, with the blocks
 * allocated. Upstream: memorymanager/policy_static.go validateState.
 */
export const memoryStateError = (state: MemoryState, initial: MachineMemory): string | undefined => {
  const holdings = holdingsOf(state)
  if (nodeIdsOf(state.machine).length === 0) {
    return holdings.length === 0
      ? undefined
      : "[memorymanager] machine state can not be empty when it has memory assignments"
  }
  let expected = initial
  for (const { blocks, container, pod } of holdings) {
    for (const block of blocks) {
      const who = `[memorymanager] (pod: ${pod}, container: ${container}) the memory assignment uses`
      for (const id of block.numaAffinity) {
        const node = expected[id]
        if (node === undefined) return `${who} the NUMA that does not exist`
        if (node.memoryMap[block.type] === undefined) return `${who} memory resource that does not exist`
      }
      expected = chargeBlock(expected, block)
    }
  }
  return sameMemory(state.machine, expected)
    ? undefined
    : "[memorymanager] the expected machine state is different from the real one"
}
