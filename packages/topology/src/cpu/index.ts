export type * from "./CpuManager.ts"
export * from "./CpuPolicyOptions.ts"
export * from "./CpuSet.ts"
export {
  type CpuState,
  type CpuStateRules,
  cpusOwnedBy,
  noCpuState,
  ownedCpus,
  validateCpuState,
  withContainers
} from "./CpuState.ts"
export * from "./CpuTopology.ts"
export * from "./cpuCheckpoint.ts"
export { cpuHintsFor } from "./cpuHints.ts"
export * from "./exclusiveCpus.ts"
export * from "./makeCpuManager.ts"
export * from "./reconcileCpus.ts"
export { chooseCpus, makeStaticPolicy, type StaticPolicy, smtAlignmentFault } from "./StaticPolicy.ts"
export type { Selected } from "./selection/CpuSelection.ts"
export { selectCpus } from "./selection/selectCpus.ts"
export { type DistributedOptions, takeDistributed } from "./selection/takeDistributed.ts"
export { type PackedOptions, takePacked } from "./selection/takePacked.ts"
