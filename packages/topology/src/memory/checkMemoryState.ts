import { chargeBlock, type MachineMemory, type MemoryBlock, nodeIdsOf, tableOf } from "./MachineMemory.ts"
import type { MemoryState } from "./MemoryState.ts"

interface Assignment {
  readonly pod: string
  readonly container: string
  readonly blocks: ReadonlyArray<MemoryBlock>
}

/** Returns the blocks of each container or, if the pod is managed at pod level, of the pod. */
const assignmentsOf = ({ entries, podEntries }: MemoryState): ReadonlyArray<Assignment> => [
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
 * Whether two states are equal. Free and reserved bytes are compared as sums over a node's group, because the order of
 * allocations and releases decides on which nodes of the group a block's bytes are.
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
 * Returns why a restored state is invalid, or undefined if it is valid: it must equal the machine's initial state, as
 * configured now, with the blocks allocated. Upstream: memorymanager/policy_static.go validateState.
 */
export const memoryStateError = (state: MemoryState, initial: MachineMemory): string | undefined => {
  const assignments = assignmentsOf(state)
  if (nodeIdsOf(state.machine).length === 0) {
    return assignments.length === 0
      ? undefined
      : "[memorymanager] machine state can not be empty when it has memory assignments"
  }
  let expected = initial
  for (const { blocks, container, pod } of assignments) {
    for (const block of blocks) {
      const subject = `[memorymanager] (pod: ${pod}, container: ${container}) the memory assignment uses`
      for (const id of block.numaAffinity) {
        const node = expected[id]
        if (node === undefined) return `${subject} the NUMA that does not exist`
        if (node.memoryMap[block.type] === undefined) return `${subject} memory resource that does not exist`
      }
      expected = chargeBlock(expected, block)
    }
  }
  return sameMemory(state.machine, expected)
    ? undefined
    : "[memorymanager] the expected machine state is different from the real one"
}
