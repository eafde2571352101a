import type { HintLists, TopologyHint } from "../hints.ts"
import { isNarrower, maskCount, maskIds, masksOver, maskWithin, type NumaMask } from "../masks.ts"
import { type Bytes, type MachineMemory, nodeIdsOf, tableOf } from "./MachineMemory.ts"

/** Bytes that the pod's earlier init containers left on exactly these nodes. */
export type Reusable = (mask: NumaMask, kind: string) => number

export const nothingReusable: Reusable = () => 0

const sumOver = (
  memory: MachineMemory,
  ids: ReadonlyArray<number>,
  kind: string,
  field: "allocatable" | "free"
): number => ids.reduce((sum, id) => sum + tableOf(memory, id, kind)[field], 0)

/** Both ascending. */
const sameNodes = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index])

/** Whether a used node of several is a group of its own, or in another group: a node is never in two. */
export const violatesNumaGroups = (memory: MachineMemory, ids: ReadonlyArray<number>): boolean =>
  ids.length > 1 &&
  ids.some((id) => {
    const node = memory[id]
    return node !== undefined && node.numberOfAssignments > 0 && !sameNodes(node.cells, ids)
  })

/** Whether the nodes have enough free memory, reusable memory not counted. */
export const haveFree = (memory: MachineMemory, ids: ReadonlyArray<number>, requested: Bytes): boolean =>
  Object.entries(requested).every(([kind, size]) => sumOver(memory, ids, kind, "free") >= size)

/**
 * The node sets where a request fits, the same for every kind of memory in it. Preferred are those of the smallest
 * size that could hold it if they were empty. Upstream: policy_static.go calculateHints.
 */
export const memoryHints = (
  memory: MachineMemory,
  requested: Bytes,
  reusable: Reusable = nothingReusable
): ReadonlyArray<TopologyHint> => {
  const nodes = nodeIdsOf(memory)
  const kinds = Object.entries(requested)
  const fitting: Array<NumaMask> = []
  let least = nodes.length
  for (const mask of masksOver(nodes)) {
    const ids = maskIds(mask)
    if (kinds.some(([kind, size]) => sumOver(memory, ids, kind, "allocatable") < size)) continue
    least = Math.min(least, ids.length)
    const [first = 0] = ids
    if (ids.length === 1 && (memory[first]?.cells.length ?? 1) > 1) continue
    if (violatesNumaGroups(memory, ids)) continue
    if (kinds.some(([kind, size]) => sumOver(memory, ids, kind, "free") + reusable(mask, kind) < size)) continue
    fitting.push(mask)
  }
  return fitting.map((mask) => ({ mask, preferred: maskCount(mask) === least }))
}

/**
 * Every kind of memory has the same hints; if nothing fits there is no entry, which the merge treats as "no
 * preference".
 */
export const memoryHintLists = (memory: MachineMemory, requested: Bytes, reusable: Reusable): HintLists => {
  const hints = memoryHints(memory, requested, reusable)
  return hints.length === 0 ? {} : Object.fromEntries(Object.keys(requested).map((kind) => [kind, hints]))
}

const better = (best: TopologyHint, hint: TopologyHint): TopologyHint => {
  if (hint.preferred !== best.preferred) return hint.preferred ? hint : best

  return isNarrower(hint.mask ?? 0n, best.mask ?? 0n) ? hint : best
}

/** Preferred first, then narrower. */
export const bestHint = (hints: ReadonlyArray<TopologyHint>): TopologyHint | undefined => {
  const [first, ...others] = hints
  return first === undefined ? undefined : others.reduce(better, first)
}

/** Hints that contain the nodes of a mask. */
export const hintsAround = (hints: ReadonlyArray<TopologyHint>, mask: NumaMask): ReadonlyArray<TopologyHint> =>
  hints.filter((hint) => hint.mask !== undefined && maskWithin(mask, hint.mask))
