export { type AllocatedMemory, allocateMemory } from "./allocateMemory.ts"
export {
  type Bytes,
  hugePagesName,
  initialMemory,
  type MachineMemory,
  type MemoryBlock,
  type MemoryTable,
  type NodeMemory,
  releaseBlocks
} from "./MachineMemory.ts"
export * from "./MemoryManager.ts"
export { memoryStateFile } from "./MemoryState.ts"
export { memoryHintLists, memoryHints, type Reusable } from "./memoryHints.ts"
export { type ReservedMemory, reservedMemoryError } from "./reservedMemory.ts"
