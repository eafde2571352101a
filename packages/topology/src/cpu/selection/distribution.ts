import { combinations } from "./combinations.ts"

/** How many CPUs to take from which NUMA nodes: `perNode` from each of `nodes`, and the remainder. */
export interface Distribution extends Scored {
  /** The nodes from which `perNode` CPUs are taken. */
  readonly nodes: ReadonlyArray<number>
  readonly perNode: number
}

interface Scored {
  /** The standard deviation of the remaining free CPUs, over all nodes. */
  readonly score: number
  /** The nodes from which the remainder is taken round-robin, one group at a time. */
  readonly remainderNodes: ReadonlyArray<number>
}

/** Free CPUs by NUMA node. */
type FreeByNode = ReadonlyMap<number, number>

/**
 * Returns the even distribution of `wanted` CPUs over `count` NUMA nodes that leaves the free CPUs of all nodes most
 * balanced, or undefined if no choice of nodes has enough. CPUs are taken in groups of `groupSize`. Upstream:
 * pkg/kubelet/cm/cpumanager/cpu_assignment.go takeByTopologyNUMADistributed.
 */
export const bestDistribution = (
  free: FreeByNode,
  wanted: number,
  groupSize: number,
  count: number
): Distribution | undefined => {
  const perNode = Math.floor(Math.floor(wanted / count) / groupSize) * groupSize
  let best: Distribution | undefined
  for (const nodes of combinations([...free.keys()], count)) {
    if (!nodes.every((node) => freeOn(free, node) >= perNode)) continue
    const remaining = new Map(free)
    for (const node of nodes) remaining.set(node, freeOn(remaining, node) - perNode)
    const scored = bestRemainder(remaining, nodes, wanted - perNode * count, groupSize)
    if (scored !== undefined && (best === undefined || scored.score < best.score)) best = { nodes, perNode, ...scored }
    if (best?.score === 0) break
  }
  return best
}

const freeOn = (free: FreeByNode, node: number): number => free.get(node) ?? 0

const groupsIn = (free: FreeByNode, nodes: ReadonlyArray<number>, groupSize: number): number =>
  nodes.reduce((groups, node) => groups + Math.floor(freeOn(free, node) / groupSize), 0)

/** Returns the nodes to take the remainder from, or undefined if all together have too few free CPUs. */
const bestRemainder = (
  remaining: FreeByNode,
  nodes: ReadonlyArray<number>,
  remainder: number,
  groupSize: number
): Scored | undefined => {
  if (remainder === 0) return { score: imbalance(remaining), remainderNodes: [] }
  const eligible = nodes.filter((node) => freeOn(remaining, node) >= groupSize)
  let best: Scored | undefined
  for (let size = eligible.length; size > 0; size--) {
    for (const subset of combinations(eligible, size)) {
      if (groupsIn(remaining, subset, groupSize) * groupSize < remainder) continue
      const score = imbalance(afterRoundRobin(remaining, subset, remainder, groupSize))
      if (best === undefined || score < best.score) best = { score, remainderNodes: subset }
    }
  }
  return best
}

/** Returns the free CPUs after the remainder is taken from the subset, round-robin. The subset must have enough. */
const afterRoundRobin = (
  remaining: FreeByNode,
  subset: ReadonlyArray<number>,
  remainder: number,
  groupSize: number
): FreeByNode => {
  const after = new Map(remaining)
  for (let missing = remainder; missing > 0; ) {
    for (const node of subset) {
      if (missing <= 0 || freeOn(after, node) < groupSize) continue
      after.set(node, freeOn(after, node) - groupSize)
      missing -= groupSize
    }
  }
  return after
}

/** Rounds as upstream does, because the rounding decides ties. */
const toThreeDecimals = (value: number): number => Math.round(value * 1000) / 1000

/** Returns the standard deviation of the numbers of free CPUs. */
const imbalance = (free: FreeByNode): number => {
  const counts = [...free.values()]
  const mean = toThreeDecimals(counts.reduce((sum, count) => sum + count, 0) / counts.length)
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0)
  return toThreeDecimals(Math.sqrt(squares / counts.length))
}
