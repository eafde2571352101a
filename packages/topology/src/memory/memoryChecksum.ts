import { sortedEntries } from "@rollcall/api"
import { fnv1a } from "@rollcall/time"
import type { MachineMemory, MemoryBlock, MemoryTable, NodeMemory } from "./MachineMemory.ts"

/** The content of the file without its checksum. */
export interface SavedMemory {
  readonly policyName: string
  readonly machineState: MachineMemory
  readonly entries: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<MemoryBlock>>>>>
  /** The blocks of pods, by uid; undefined if the kubelet that wrote the file does not manage pods at pod level. */
  readonly podEntries: Readonly<Record<string, { readonly memoryBlocks: ReadonlyArray<MemoryBlock> }>> | undefined
}

type Entries<A> = ReadonlyArray<readonly [string, A]>

const dumpMap = <A>(entries: Entries<A>, print: (value: A) => string): string =>
  `map[${entries.map(([key, value]) => `${key}:${print(value)}`).join(" ")}]`

const dumpInts = (list: ReadonlyArray<number>): string => `([]int)[${list.join(" ")}]`

const tableText = ({ allocatable, free, reserved, systemReserved, total }: MemoryTable): string =>
  `<*>{TotalMemSize:(uint64)${total} SystemReserved:(uint64)${systemReserved} Allocatable:(uint64)${allocatable} Reserved:(uint64)${reserved} Free:(uint64)${free}}`

const nodeText = ({ cells, memoryMap, numberOfAssignments }: NodeMemory): string =>
  `<*>{NumberOfAssignments:(int)${numberOfAssignments} MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${dumpMap(sortedEntries(memoryMap), tableText)} Cells:${dumpInts(cells)}}`

const blocksText = (blocks: ReadonlyArray<MemoryBlock>): string =>
  `[${blocks
    .map(
      ({ numaAffinity, size, type }) =>
        `{NUMAAffinity:${dumpInts(numaAffinity)} Type:(v1.ResourceName)${type} Size:(uint64)${size}}`
    )
    .join(" ")}]`

/**
 * Returns the checksum of a dump of Go's struct, as upstream makes it, so that a kubelet accepts the files of this
 * model and this model those of a kubelet. Upstream: pkg/kubelet/checkpointmanager/checksum, pkg/util/hash;
 * memorymanager/state/checkpoint.go.
 */
export const memoryChecksum = (saved: SavedMemory, structName = "MemoryManagerCheckpoint"): number => {
  const { entries, machineState, podEntries, policyName } = saved
  // NUMA node ids are integer keys, which JavaScript iterates in ascending order.
  const machine = dumpMap(Object.entries(machineState), nodeText)
  const containers = dumpMap(sortedEntries(entries), (pod) => dumpMap(sortedEntries(pod), blocksText))
  const fields = [
    `PolicyName:(string)${policyName}`,
    `MachineState:(state.NUMANodeMap)${machine}`,
    `Entries:(state.ContainerMemoryAssignments)${containers}`
  ]
  if (podEntries !== undefined) {
    const pods = dumpMap(
      sortedEntries(podEntries),
      ({ memoryBlocks }) => `{MemoryBlocks:([]state.Block)${blocksText(memoryBlocks)}}`
    )
    fields.push(`PodEntries:(state.PodMemoryAssignments)${pods}`)
  }
  return fnv1a(`(*state.${structName}){${fields.join(" ")} Checksum:(checksum.Checksum)0}`)
}

/**
 * Whether a checksum is valid; 0 means that the file has none. A file without pod entries may come from a kubelet that
 * manages pods at pod level or from one that does not, under either name of the struct.
 */
export const isMemoryChecksum = (checksum: number, saved: SavedMemory): boolean => {
  if (checksum === 0 || checksum === memoryChecksum({ ...saved, podEntries: saved.podEntries ?? {} })) return true
  if (saved.podEntries !== undefined) return false
  return checksum === memoryChecksum(saved) || checksum === memoryChecksum(saved, "MemoryManagerCheckpointV1")
}
