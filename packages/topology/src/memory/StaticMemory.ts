import type { Container, Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import {
  type AffinityStore,
  type AllocateFailure,
  allocateFailure,
  type HintLists,
  type HintProvider
} from "../hints.ts"
import { maskOf } from "../masks.ts"
import type { ResourceMetrics } from "../metrics.ts"
import {
  containersOf,
  isGuaranteed,
  isManagedAtPodLevel,
  isPodLevelUnmanaged,
  type PodLevelGates
} from "../podResources.ts"
import { allocateMemory } from "./allocateMemory.ts"
import { makeInitReuse, shrunkInitBlocks } from "./InitReuse.ts"
import { type Bytes, type MemoryBlock, releaseBlocks } from "./MachineMemory.ts"
import type { MemoryState } from "./MemoryState.ts"
import { memoryHintLists, nothingReusable } from "./memoryHints.ts"
import { divisionError, partitionPodMemory } from "./partitionPodMemory.ts"
import { containerMemory, podMemory } from "./requests.ts"

/** The dependencies of policy Static. */
export interface StaticMemoryOptions {
  /** The initial state; the manager changes it. */
  readonly state: MemoryState
  readonly affinity: AffinityStore
  readonly gates: PodLevelGates
  readonly metrics: ResourceMetrics
  /** Called after each change of the state. */
  readonly save: () => void
}

type Blocks = ReadonlyArray<MemoryBlock>

const uidOf = (pod: Pod): string => pod.metadata.uid ?? ""

/**
 * Returns hints for blocks that are assigned already, or null (no preference) if they differ from the request.
 * Upstream: memorymanager/policy_static.go regenerateHints.
 */
const hintsOfAssigned = (assigned: Blocks, requested: Bytes): HintLists | null => {
  if (assigned.length !== Object.keys(requested).length) return null
  if (assigned.some(({ size, type }) => requested[type] !== size)) return null
  return Object.fromEntries(
    assigned.map(({ numaAffinity, type }) => [type, [{ mask: maskOf(numaAffinity), preferred: true }]])
  )
}

/** Makes the hint provider of the memory manager's policy Static. Upstream: memorymanager/policy_static.go. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one checkpoint of memory, and the calls of the kubelet on it.
export const makeStaticMemory = (options: StaticMemoryOptions): HintProvider => {
  const { affinity, gates, metrics, save, state } = options
  const reuse = makeInitReuse()

  const blocksOf = (pod: Pod, containerName: string): Blocks | undefined =>
    state.entries.get(uidOf(pod))?.get(containerName)
  const assign = (pod: Pod, containerName: string, blocks: Blocks): void => {
    const assigned = state.entries.get(uidOf(pod))
    if (assigned === undefined) state.entries.set(uidOf(pod), new Map([[containerName, blocks]]))
    else assigned.set(containerName, blocks)
  }
  const isManaged = (pod: Pod): boolean => isGuaranteed(pod, gates) && !isPodLevelUnmanaged(pod, gates)
  const countFailure = (failure: AllocateFailure): AllocateFailure => {
    metrics.add("kubelet_memory_manager_pinning_errors_total")
    return failure
  }

  const allocate = (pod: Pod, container: Container): AllocateFailure | undefined => {
    if (!isManaged(pod)) return undefined
    metrics.add("kubelet_memory_manager_pinning_requests_total")
    const assigned = blocksOf(pod, container.name)
    if (assigned !== undefined) {
      reuse.note(pod, container, assigned)
      return undefined
    }
    const requested = containerMemory(pod, container, gates)
    if (Result.isFailure(requested)) return countFailure(allocateFailure(requested.failure))
    if (Object.keys(requested.success).length === 0) return undefined
    const stored = affinity.getAffinity(uidOf(pod), container.name)
    const allocated = allocateMemory(state.machine, stored, requested.success, reuse.of(uidOf(pod)))
    if (Result.isFailure(allocated)) return countFailure(allocateFailure(allocated.failure))
    const { blocks, memory } = allocated.success
    state.machine = memory
    reuse.note(pod, container, blocks)
    assign(pod, container.name, blocks)
    for (const [name, remainingBlocks] of shrunkInitBlocks(pod, container, blocks, (name) => blocksOf(pod, name)))
      assign(pod, name, remainingBlocks)
    save()
    return undefined
  }

  const allocatePod = (pod: Pod): AllocateFailure | undefined => {
    const total = podMemory(pod, gates)
    if (!isManaged(pod) || Result.isFailure(total) || state.podEntries.has(uidOf(pod))) return undefined
    metrics.add("kubelet_memory_manager_pinning_requests_total")
    const divisionProblem = divisionError(pod, gates)
    if (divisionProblem !== undefined) return countFailure(allocateFailure(divisionProblem, "EmptyPodSharedPoolError"))
    const stored = affinity.getAffinity(uidOf(pod), containersOf(pod)[0]?.name ?? "")
    const allocated = allocateMemory(state.machine, stored, total.success)
    if (Result.isFailure(allocated)) return countFailure(allocateFailure(allocated.failure))
    const { blocks, memory } = allocated.success
    state.machine = memory
    state.podEntries.set(uidOf(pod), blocks)
    const nodes = blocks[0]?.numaAffinity ?? []
    for (const [name, containerBlocks] of partitionPodMemory(pod, total.success, nodes, gates))
      assign(pod, name, containerBlocks)
    save()
    return undefined
  }

  const getPodTopologyHints = (pod: Pod): HintLists | null => {
    if (!isManaged(pod)) return null
    const requested = podMemory(pod, gates)
    if (Result.isFailure(requested)) return null
    const kinds = Object.keys(requested.success)
    if (isManagedAtPodLevel(pod, gates) && divisionError(pod, gates) !== undefined) {
      return Object.fromEntries(kinds.map((kind) => [kind, []]))
    }
    if (kinds.length === 0) return null
    const podBlocks = state.podEntries.get(uidOf(pod))
    if (podBlocks !== undefined) return hintsOfAssigned(podBlocks, requested.success)
    for (const { name } of containersOf(pod)) {
      const assigned = blocksOf(pod, name)
      if (assigned !== undefined) return hintsOfAssigned(assigned, requested.success)
    }
    return memoryHintLists(state.machine, requested.success, nothingReusable)
  }

  const release = (uid: string): void => {
    const blocks = state.podEntries.get(uid) ?? [...(state.entries.get(uid)?.values() ?? [])].flat()
    state.machine = releaseBlocks(state.machine, blocks)
    reuse.forget(uid)
    state.entries.delete(uid)
    state.podEntries.delete(uid)
  }

  return {
    name: "memory",
    getTopologyHints: (pod, container) => {
      if (!isManaged(pod)) return null
      const requested = containerMemory(pod, container, gates)
      if (Result.isFailure(requested)) return null
      const assigned = blocksOf(pod, container.name)
      return assigned === undefined
        ? memoryHintLists(state.machine, requested.success, reuse.of(uidOf(pod)))
        : hintsOfAssigned(assigned, requested.success)
    },
    getPodTopologyHints,
    allocate,
    allocatePod,
    removeStale: (active) => {
      const stale = [...state.entries.keys()].filter((uid) => !active.has(uid))
      if (stale.length === 0) return
      for (const uid of stale) release(uid)
      save()
    }
  }
}
