import type { QuantityLike } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AffinityStore, Checkpoint, HintProvider } from "../hints.ts"
import type { MachineTopology } from "../MachineTopology.ts"
import { maskIds, maskOf } from "../masks.ts"
import type { ResourceMetrics } from "../metrics.ts"
import type { PodLevelGates } from "../podResources.ts"
import { memoryStateError } from "./checkMemoryState.ts"
import { initialMemory, type MachineMemory, type MemoryBlock, nodeIdsOf } from "./MachineMemory.ts"
import { memoryStateFile, memoryStateText, restoreMemoryState } from "./MemoryState.ts"
import { type ReservedMemory, reservedByNode, reservedMemoryError } from "./reservedMemory.ts"
import { makeStaticMemory } from "./StaticMemory.ts"

/** The configuration and the dependencies of a memory manager. */
export interface MemoryManagerOptions {
  /** `None` or `Static`. */
  readonly policy: string
  readonly machine: Pick<MachineTopology, "numaNodes">
  readonly reservedMemory: ReservedMemory
  /** What kube reserved, system reserved and the hard eviction threshold reserve together, by resource. */
  readonly nodeAllocatableReservation: Readonly<Record<string, QuantityLike>>
  readonly affinity: AffinityStore
  readonly gates: PodLevelGates
  readonly metrics: ResourceMetrics
  /** Keeps the assignments across restarts; absent if a restart loses them. */
  readonly checkpoint?: Checkpoint | undefined
}

/** Pins memory and huge pages of Guaranteed pods to NUMA nodes. Upstream: pkg/kubelet/cm/memorymanager. */
export interface MemoryManager extends HintProvider {
  readonly policy: "None" | "Static"
  /** Returns the machine's memory by NUMA node; empty under policy None. */
  readonly machineMemory: () => MachineMemory
  readonly blocksOf: (podUid: string, containerName: string) => ReadonlyArray<MemoryBlock>
  /** Returns the NUMA nodes of the container's memory, its `cpuset.mems`, or undefined if it may be on any. */
  readonly numaNodesOf: (podUid: string, containerName: string) => ReadonlyArray<number> | undefined
  /** Returns the allocatable memory, node by node. */
  readonly allocatable: () => ReadonlyArray<MemoryBlock>
}

/** The hint provider of policy None. */
const withoutHints: HintProvider = {
  name: "memory",
  getTopologyHints: () => null,
  getPodTopologyHints: () => null,
  allocate: () => undefined,
  removeStale: () => undefined
}

const unknownPolicy = (policy: string): string =>
  policy === "BestEffort"
    ? 'policy "BestEffort" is not available for platform "linux"'
    : `unknown policy: ${JSON.stringify(policy)}`

const reservationError = (options: MemoryManagerOptions): string | undefined => {
  const { machine, nodeAllocatableReservation, reservedMemory } = options
  const nodes = machine.numaNodes.map(({ id }) => id)
  const error = reservedMemoryError(nodes, nodeAllocatableReservation, reservedMemory)
  if (error !== undefined) return error
  const reserved = Object.values(reservedByNode(reservedMemory)).some(({ memory = 0 }) => memory > 0)
  return reserved ? undefined : "[memorymanager] you should specify the system reserved memory"
}

const allocatableOf = (memory: MachineMemory): ReadonlyArray<MemoryBlock> =>
  nodeIdsOf(memory).flatMap((id) =>
    Object.entries(memory[id]?.memoryMap ?? {})
      .filter(([, { allocatable }]) => allocatable !== 0)
      .map(([type, { allocatable }]) => ({ numaAffinity: [id], type, size: allocatable }))
  )

/**
 * Makes the manager and restores its state. Fails with the error that stops the kubelet. Upstream:
 * memorymanager/memory_manager.go NewManager, Start.
 */
export const makeMemoryManager = (options: MemoryManagerOptions): Result.Result<MemoryManager, string> => {
  const { checkpoint, machine, policy } = options
  if (policy !== "None" && policy !== "Static") return Result.fail(unknownPolicy(policy))
  const reservationProblem = policy === "Static" ? reservationError(options) : undefined
  if (reservationProblem !== undefined) return Result.fail(reservationProblem)
  const restored = restoreMemoryState(checkpoint, policy)
  if (Result.isFailure(restored)) return Result.fail(restored.failure)
  const state = restored.success
  if (policy === "Static") {
    const initial = initialMemory(machine.numaNodes, reservedByNode(options.reservedMemory))
    const error = memoryStateError(state, initial)
    if (error !== undefined) return Result.fail(error)
    if (nodeIdsOf(state.machine).length === 0) state.machine = initial
  }
  const save = (): void =>
    checkpoint?.write(memoryStateFile, memoryStateText(policy, state, options.gates.PodLevelResourceManagers))
  save()
  const blocksOf = (podUid: string, containerName: string): ReadonlyArray<MemoryBlock> =>
    state.entries.get(podUid)?.get(containerName) ?? []
  return Result.succeed({
    ...(policy === "Static" ? makeStaticMemory({ ...options, state, save }) : withoutHints),
    policy,
    machineMemory: () => state.machine,
    blocksOf,
    numaNodesOf: (podUid, containerName) => {
      const nodes = blocksOf(podUid, containerName).flatMap(({ numaAffinity }) => numaAffinity)
      return nodes.length === 0 ? undefined : maskIds(maskOf(nodes))
    },
    allocatable: () => allocatableOf(state.machine)
  })
}
