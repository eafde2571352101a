import { sortedEntries } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import type { MachineMemory, MemoryBlock, MemoryTable, NodeMemory } from "./MachineMemory.ts"

/** The content of the file without its checksum. */
export interface SavedMemory {
  readonly policyName: string
  readonly machineState: MachineMemory
  readonly entries: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<MemoryBlock>>>>>
  /** undefined: written by a kubelet that does not manage pods at pod level. */
  readonly podEntries: Readonly<Record<string, { readonly memoryBlocks: ReadonlyArray<MemoryBlock> }>> | undefined
}

type Entries<A> = ReadonlyArray<readonly [string, A]>

const mapOf = <A>(entries: Entries<A>, print: (value: A) => string): string =>
  `map[${entries.map(([key, value]) => `${key}:${print(value)}`).join(" ")}]`

const ints = (list: ReadonlyArray<number>): string => `([]int)[${list.join(" ")}]`

const tableText = ({ allocatable, free, reserved, systemReserved, total }: MemoryTable): string =>
  `<*>{TotalMemSize:(uint64)${total} SystemReserved:(uint64)${systemReserved} Allocatable:(uint64)${allocatable} Reserved:(uint64)${reserved} Free:(uint64)${free}}`

const nodeText = ({ cells, memoryMap, numberOfAssignments }: NodeMemory): string =>
  `<*>{NumberOfAssignments:(int)${numberOfAssignments} MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${mapOf(sortedEntries(memoryMap), tableText)} Cells:${ints(cells)}}`

const blocksText = (blocks: ReadonlyArray<MemoryBlock>): string =>
  `[${blocks
    .map(
      ({ numaAffinity, size, type }) =>
        `{NUMAAffinity:${ints(numaAffinity)} Type:(v1.ResourceName)${type} Size:(uint64)${size}}`
    )
    .join(" ")}]`

/**
 * The checksum over a dump of Go's struct as upstream makes it, so that a kubelet accepts files of this model, and the
 * other way round. Upstream: pkg/kubelet/checkpointmanager/checksum, pkg/util/hash; memorymanager/state/checkpoint.go.
 */
export const memoryChecksum = (saved: SavedMemory, structName = "MemoryManagerCheckpoint"): number => {
  const { entries, machineState, podEntries, policyName } = saved
  // NUMA node ids are integer keys, which JavaScript iterates in ascending order.
  const machine = mapOf(Object.entries(machineState), nodeText)
  const containers = mapOf(sortedEntries(entries), (pod) => mapOf(sortedEntries(pod), blocksText))
  const fields = [
    `PolicyName:(string)${policyName}`,
    `MachineState:(state.NUMANodeMap)${machine}`,
    `Entries:(state.ContainerMemoryAssignments)${containers}`
  ]
  if (podEntries !== undefined) {
    const pods = mapOf(
      sortedEntries(podEntries),
      ({ memoryBlocks }) => `{MemoryBlocks:([]state.Block)${blocksText(memoryBlocks)}}`
    )
    fields.push(`PodEntries:(state.PodMemoryAssignments)${pods}`)
  }
  return fnv1a(`(*state.${structName}){${fields.join(" ")} Checksum:(checksum.Checksum)0}`)
}

/**
 * 0 means no checksum. A file without pod entries may come from either kind of kubelet, under either name of the
 * struct.
 */
export const isMemoryChecksum = (checksum: number, saved: SavedMemory): boolean => {
  if (checksum === 0 || checksum === memoryChecksum({ ...saved, podEntries: saved.podEntries ?? {} })) return true
  if (saved.podEntries !== undefined) return false
  return checksum === memoryChecksum(saved) || checksum === memoryChecksum(saved, "MemoryManagerCheckpointV1")
}
