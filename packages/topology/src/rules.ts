// Hints: which NUMA nodes suit a container, and how the managers' hints are merged.

export { allocateFailure } from "./hints.ts"
export { closest, type Fitter, type NumaDistances, narrowest } from "./manager/closest.ts"
export { betterHint, type MergedHint } from "./manager/compareHints.ts"
export { isTopologyPolicyName, type Merge, type MergeResult, mergeOf } from "./manager/policies.ts"
export { parseTopologyPolicyOptions, type TopologyPolicyOptions } from "./manager/policyOptions.ts"
export { refusalOf } from "./manager/refusal.ts"
export { maskIds, maskOf } from "./masks.ts"

// CPUs: which ones a container gets.

export {
  type CpuPolicyOptionGates,
  type CpuPolicyOptions,
  noCpuPolicyOptions,
  parseCpuPolicyOptions
} from "./cpu/CpuPolicyOptions.ts"
export { type CpuStateRules, noCpuState, validateCpuState, withContainers } from "./cpu/CpuState.ts"
export { type CpuTopology, type CpuUnit, cpuTopologyOf, isUncoreAligned, withSiblings } from "./cpu/CpuTopology.ts"
export { cpuHintsFor } from "./cpu/cpuHints.ts"
export { exclusiveCpus, podExclusiveCpus } from "./cpu/exclusiveCpus.ts"
export { chooseCpus, makeStaticPolicy, type StaticPolicy, smtAlignmentFault } from "./cpu/StaticPolicy.ts"
export type { Selected } from "./cpu/selection/CpuSelection.ts"
export { type DistributedOptions, takeDistributed } from "./cpu/selection/takeDistributed.ts"
export { type PackedOptions, takePacked } from "./cpu/selection/takePacked.ts"

// Memory: which NUMA nodes a container's memory comes from.

export { type AllocatedMemory, allocateMemory } from "./memory/allocateMemory.ts"
export { type Bytes, releaseBlocks } from "./memory/MachineMemory.ts"
export { memoryHintLists, type Reusable } from "./memory/memoryHints.ts"
export { reservedMemoryError } from "./memory/reservedMemory.ts"
