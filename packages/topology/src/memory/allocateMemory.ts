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

const failed = (what: string) => Result.fail(`[memorymanager] ${what}`)

/** The merged hint, or, if that names no nodes, the best of this manager's own. */
const startingHint = (
  memory: MachineMemory,
  stored: TopologyHint,
  requested: Bytes,
  reusable: Reusable
): Result.Result<TopologyHint, string> => {
  if (stored.mask !== undefined) return Result.succeed(stored)
  const own = bestHint(memoryHints(memory, requested, reusable))
  if (own === undefined) {
    return failed("failed to get the default NUMA affinity, no NUMA nodes with enough memory is available")
  }
  if (!own.preferred && stored.preferred) return failed("failed to find the default preferred hint")
  return Result.succeed(own)
}

/** The nodes that serve a request, ascending: the merged hint's, and more if these have too little free. */
const chooseNodes = (
  memory: MachineMemory,
  stored: TopologyHint,
  requested: Bytes,
  reusable: Reusable
): Result.Result<ReadonlyArray<number>, string> => {
  const start = startingHint(memory, stored, requested, reusable)
  if (Result.isFailure(start)) return Result.fail(start.failure)
  let chosen = start.success
  if (!haveFree(memory, maskIds(chosen.mask ?? 0n), requested)) {
    const wider = bestHint(hintsAround(memoryHints(memory, requested, reusable), chosen.mask ?? 0n))
    if (wider === undefined) return failed("failed to find NUMA nodes to extend the current topology hint")
    if (!wider.preferred && chosen.preferred) return failed("failed to find the extended preferred hint")
    chosen = wider
  }
  const ids = maskIds(chosen.mask ?? 0n)
  return violatesNumaGroups(memory, ids) ? failed("preferred hint violates NUMA node allocation") : Result.succeed(ids)
}

/** One block for each requested kind of memory. */
export const blocksFor = (requested: Bytes, numaAffinity: ReadonlyArray<number>): ReadonlyArray<MemoryBlock> =>
  Object.keys(requested)
    .sort()
    .map((type) => ({ numaAffinity, type, size: requested[type] ?? 0 }))

export interface AllocatedMemory {
  readonly blocks: ReadonlyArray<MemoryBlock>
  /** The machine's memory afterwards. */
  readonly memory: MachineMemory
}

/**
 * Allocates a request with the stored merged hint; memory that can be reused on the chosen nodes is not taken again.
 * Fails with the kubelet's error. Upstream: memorymanager/policy_static.go Allocate.
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
