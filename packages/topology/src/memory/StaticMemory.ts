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
 * Hints for the already assigned blocks; null, no preference, if they differ from the request.
 * Upstream: regenerateHints.
 */
const regenerated = (held: Blocks, requested: Bytes): HintLists | null => {
  if (held.length !== Object.keys(requested).length) return null
  if (held.some(({ size, type }) => requested[type] !== size)) return null
  return Object.fromEntries(
    held.map(({ numaAffinity, type }) => [type, [{ mask: maskOf(numaAffinity), preferred: true }]])
  )
}

/** Policy Static of the memory manager. Upstream: memorymanager/policy_static.go. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one checkpoint of memory, and the calls of the kubelet on it.
export const makeStaticMemory = (options: StaticMemoryOptions): HintProvider => {
  const { affinity, gates, metrics, save, state } = options
  const reuse = makeInitReuse()

  const heldBy = (pod: Pod, containerName: string): Blocks | undefined =>
    state.entries.get(uidOf(pod))?.get(containerName)
  const hold = (pod: Pod, containerName: string, blocks: Blocks): void => {
    const held = state.entries.get(uidOf(pod))
    if (held === undefined) state.entries.set(uidOf(pod), new Map([[containerName, blocks]]))
    else held.set(containerName, blocks)
  }
  const isOurs = (pod: Pod): boolean => isGuaranteed(pod, gates) && !isPodLevelUnmanaged(pod, gates)
  const failed = (failure: AllocateFailure): AllocateFailure => {
    metrics.add("kubelet_memory_manager_pinning_errors_total")
    return failure
  }

  const allocate = (pod: Pod, container: Container): AllocateFailure | undefined => {
    if (!isOurs(pod)) return undefined
    metrics.add("kubelet_memory_manager_pinning_requests_total")
    const held = heldBy(pod, container.name)
    if (held !== undefined) {
      reuse.note(pod, container, held)
      return undefined
    }
    const requested = containerMemory(pod, container, gates)
    if (Result.isFailure(requested)) return failed(allocateFailure(requested.failure))
    if (Object.keys(requested.success).length === 0) return undefined
    const stored = affinity.getAffinity(uidOf(pod), container.name)
    const allocated = allocateMemory(state.machine, stored, requested.success, reuse.of(uidOf(pod)))
    if (Result.isFailure(allocated)) return failed(allocateFailure(allocated.failure))
    const { blocks, memory } = allocated.success
    state.machine = memory
    reuse.note(pod, container, blocks)
    hold(pod, container.name, blocks)
    for (const [name, left] of shrunkInitBlocks(pod, container, blocks, (name) => heldBy(pod, name)))
      hold(pod, name, left)
    save()
    return undefined
  }

  const allocatePod = (pod: Pod): AllocateFailure | undefined => {
    const total = podMemory(pod, gates)
    if (!isOurs(pod) || Result.isFailure(total) || state.podEntries.has(uidOf(pod))) return undefined
    metrics.add("kubelet_memory_manager_pinning_requests_total")
    const indivisible = divisionError(pod, gates)
    if (indivisible !== undefined) return failed(allocateFailure(indivisible, "EmptyPodSharedPoolError"))
    const stored = affinity.getAffinity(uidOf(pod), containersOf(pod)[0]?.name ?? "")
    const allocated = allocateMemory(state.machine, stored, total.success)
    if (Result.isFailure(allocated)) return failed(allocateFailure(allocated.failure))
    const { blocks, memory } = allocated.success
    state.machine = memory
    state.podEntries.set(uidOf(pod), blocks)
    const nodes = blocks[0]?.numaAffinity ?? []
    for (const [name, own] of partitionPodMemory(pod, total.success, nodes, gates)) hold(pod, name, own)
    save()
    return undefined
  }

  const getPodTopologyHints = (pod: Pod): HintLists | null => {
    if (!isOurs(pod)) return null
    const requested = podMemory(pod, gates)
    if (Result.isFailure(requested)) return null
    const kinds = Object.keys(requested.success)
    if (isManagedAtPodLevel(pod, gates) && divisionError(pod, gates) !== undefined) {
      return Object.fromEntries(kinds.map((kind) => [kind, []]))
    }
    if (kinds.length === 0) return null
    const whole = state.podEntries.get(uidOf(pod))
    if (whole !== undefined) return regenerated(whole, requested.success)
    for (const { name } of containersOf(pod)) {
      const held = heldBy(pod, name)
      if (held !== undefined) return regenerated(held, requested.success)
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
      if (!isOurs(pod)) return null
      const requested = containerMemory(pod, container, gates)
      if (Result.isFailure(requested)) return null
      const held = heldBy(pod, container.name)
      return held === undefined
        ? memoryHintLists(state.machine, requested.success, reuse.of(uidOf(pod)))
        : regenerated(held, requested.success)
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
