// The managers of one machine, and the state that they keep.

export type { CpuManager } from "./cpu/CpuManager.ts"
export type { CpuState } from "./cpu/CpuState.ts"
export type { CpuSetChange } from "./cpu/reconcileCpus.ts"
export type { DeviceManager } from "./devices/DeviceManager.ts"
export type { Device, DeviceInventory } from "./devices/deviceHints.ts"
export type { DevicePreference } from "./devices/preferredDevices.ts"
export type { AffinityStore, AllocateFailure, Checkpoint, HintLists, HintProvider, TopologyHint } from "./hints.ts"
export type { PodRefusal } from "./manager/refusal.ts"
export { makeTopologyManager, type TopologyManager, type TopologyManagerOptions } from "./manager/TopologyManager.ts"
export type { MachineMemory, MemoryBlock, MemoryTable, NodeMemory } from "./memory/MachineMemory.ts"
export type { MemoryManager } from "./memory/MemoryManager.ts"
export { makeResourceManagers, type ResourceManagers, type ResourceManagersOptions } from "./ResourceManagers.ts"

// The machine that they divide.

export type { LogicalCpu, MachineTopology, NumaNode } from "./MachineTopology.ts"
export { type UniformMachine, uniformMachine } from "./uniformMachine.ts"

// How they are set.

export type { TopologyPolicyName } from "./manager/policies.ts"
export type { TopologyScopeName } from "./manager/scopes.ts"
export type { ReservedMemory } from "./memory/reservedMemory.ts"
export type { PodLevelGates } from "./podResources.ts"
export { type ResourceManagersConfig, resourceManagersConfig, usesResourceManagers } from "./ResourceManagersConfig.ts"
export type { ReservationConfig } from "./reservations.ts"

// Sets of CPUs and NUMA nodes.

export { CpuSet, parseCpuSet } from "./cpu/CpuSet.ts"
export type { NumaMask } from "./masks.ts"

// Metrics.

export {
  type Labels,
  type MetricName,
  makeResourceMetrics,
  type ResourceMetrics
} from "./metrics.ts"
