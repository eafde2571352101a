import type { HintLists, TopologyHint } from "../hints.ts"
import { isNarrower, maskCount, maskIds, masksOver, maskWithin, type NumaMask } from "../masks.ts"
import { type Bytes, type MachineMemory, nodeIdsOf, tableOf } from "./MachineMemory.ts"

/** Returns the bytes of a kind that the pod's earlier init containers leave on exactly these nodes. */
export type Reusable = (mask: NumaMask, kind: string) => number

export const nothingReusable: Reusable = () => 0

const sumOver = (
  memory: MachineMemory,
  ids: ReadonlyArray<number>,
  kind: string,
  field: "allocatable" | "free"
): number => ids.reduce((sum, id) => sum + tableOf(memory, id, kind)[field], 0)

/** Whether two ascending lists of nodes are equal. */
const sameNodes = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index])

/**
 * Whether nodes cannot become a group, because one of them is in use in another group: a node is never in two groups.
 */
export const violatesNumaGroups = (memory: MachineMemory, ids: ReadonlyArray<number>): boolean =>
  ids.length > 1 &&
  ids.some((id) => {
    const node = memory[id]
    return node !== undefined && node.numberOfAssignments > 0 && !sameNodes(node.cells, ids)
  })

/** Whether the nodes have enough free memory. Reusable memory does not count. */
export const haveFree = (memory: MachineMemory, ids: ReadonlyArray<number>, requested: Bytes): boolean =>
  Object.entries(requested).every(([kind, size]) => sumOver(memory, ids, kind, "free") >= size)

/**
 * Returns the sets of nodes on which a request fits, for all its kinds of memory together. The preferred ones have the
 * smallest size for which the memory would suffice if it were free. Upstream: policy_static.go calculateHints.
 */
export const memoryHints = (
  memory: MachineMemory,
  requested: Bytes,
  reusable: Reusable = nothingReusable
): ReadonlyArray<TopologyHint> => {
  const nodes = nodeIdsOf(memory)
  const kinds = Object.entries(requested)
  const fitting: Array<NumaMask> = []
  let smallest = nodes.length
  for (const mask of masksOver(nodes)) {
    const ids = maskIds(mask)
    if (kinds.some(([kind, size]) => sumOver(memory, ids, kind, "allocatable") < size)) continue
    smallest = Math.min(smallest, ids.length)
    const [first = 0] = ids
    if (ids.length === 1 && (memory[first]?.cells.length ?? 1) > 1) continue
    if (violatesNumaGroups(memory, ids)) continue
    if (kinds.some(([kind, size]) => sumOver(memory, ids, kind, "free") + reusable(mask, kind) < size)) continue
    fitting.push(mask)
  }
  return fitting.map((mask) => ({ mask, preferred: maskCount(mask) === smallest }))
}

/**
 * Returns the hints for each requested kind of memory, which are the same for all. If nothing fits, there are no
 * entries, which the merge treats as "no preference".
 */
export const memoryHintLists = (memory: MachineMemory, requested: Bytes, reusable: Reusable): HintLists => {
  const hints = memoryHints(memory, requested, reusable)
  return hints.length === 0 ? {} : Object.fromEntries(Object.keys(requested).map((kind) => [kind, hints]))
}

const betterOf = (best: TopologyHint, hint: TopologyHint): TopologyHint => {
  if (hint.preferred !== best.preferred) return hint.preferred ? hint : best

  return isNarrower(hint.mask ?? 0n, best.mask ?? 0n) ? hint : best
}

/** Returns the best hint: a preferred one, and of equally preferred ones the narrowest. */
export const bestHint = (hints: ReadonlyArray<TopologyHint>): TopologyHint | undefined => {
  const [first, ...others] = hints
  return first === undefined ? undefined : others.reduce(betterOf, first)
}

/** Returns the hints whose nodes include those of a mask. */
export const hintsAround = (hints: ReadonlyArray<TopologyHint>, mask: NumaMask): ReadonlyArray<TopologyHint> =>
  hints.filter((hint) => hint.mask !== undefined && maskWithin(mask, hint.mask))
