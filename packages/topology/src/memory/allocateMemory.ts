import * as Result from "effect/Result"
import type { TopologyHint } from "../hints.ts"
import { maskIds, maskOf } from "../masks.ts"
import { type Bytes, chargeBlock, type MachineMemory, type MemoryBlock } from "./MachineMemory.ts"
import {
  bestHint,
  haveFree,
  hintsAround,
  memoryHints,
  nothingReusable,
  type Reusable,
  violatesNumaGroups
} from "./memoryHints.ts"

const failure = (what: string) => Result.fail(`[memorymanager] ${what}`)

/** Returns the stored merged hint, or this manager's best one if the stored one has no nodes. */
const startingHint = (
  memory: MachineMemory,
  stored: TopologyHint,
  requested: Bytes,
  reusable: Reusable
): Result.Result<TopologyHint, string> => {
  if (stored.mask !== undefined) return Result.succeed(stored)
  const ownHint = bestHint(memoryHints(memory, requested, reusable))
  if (ownHint === undefined) {
    return failure("failed to get the default NUMA affinity, no NUMA nodes with enough memory is available")
  }
  if (!ownHint.preferred && stored.preferred) return failure("failed to find the default preferred hint")
  return Result.succeed(ownHint)
}

/**
 * Returns the nodes that serve a request, ascending: the merged hint's, extended if these have too little free memory.
 */
const chooseNodes = (
  memory: MachineMemory,
  stored: TopologyHint,
  requested: Bytes,
  reusable: Reusable
): Result.Result<ReadonlyArray<number>, string> => {
  const startHint = startingHint(memory, stored, requested, reusable)
  if (Result.isFailure(startHint)) return Result.fail(startHint.failure)
  let chosen = startHint.success
  if (!haveFree(memory, maskIds(chosen.mask ?? 0n), requested)) {
    const wider = bestHint(hintsAround(memoryHints(memory, requested, reusable), chosen.mask ?? 0n))
    if (wider === undefined) return failure("failed to find NUMA nodes to extend the current topology hint")
    if (!wider.preferred && chosen.preferred) return failure("failed to find the extended preferred hint")
    chosen = wider
  }
  const ids = maskIds(chosen.mask ?? 0n)
  return violatesNumaGroups(memory, ids) ? failure("preferred hint violates NUMA node allocation") : Result.succeed(ids)
}

/** Returns one block for each requested kind of memory, sorted by kind. */
export const blocksFor = (requested: Bytes, numaAffinity: ReadonlyArray<number>): ReadonlyArray<MemoryBlock> =>
  Object.keys(requested)
    .sort()
    .map((type) => ({ numaAffinity, type, size: requested[type] ?? 0 }))

/** The result of an allocation. */
export interface AllocatedMemory {
  readonly blocks: ReadonlyArray<MemoryBlock>
  /** The machine's memory afterwards. */
  readonly memory: MachineMemory
}

/**
 * Allocates a request with the merged hint that is stored for its container. Memory that can be reused on the chosen
 * nodes is not taken again. Fails with the kubelet's error. Upstream: memorymanager/policy_static.go Allocate.
 */
export const allocateMemory = (
  memory: MachineMemory,
  stored: TopologyHint,
  requested: Bytes,
  reusable: Reusable = nothingReusable
): Result.Result<AllocatedMemory, string> =>
  Result.map(chooseNodes(memory, stored, requested, reusable), (nodes) => {
    const blocks = blocksFor(requested, nodes)
    const mask = maskOf(nodes)
    const charge = (current: MachineMemory, block: MemoryBlock): MachineMemory =>
      chargeBlock(current, { ...block, size: Math.max(0, block.size - reusable(mask, block.type)) })
    return { blocks, memory: blocks.reduce(charge, memory) }
  })
