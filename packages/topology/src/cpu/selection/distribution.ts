import { combinations } from "./combinations.ts"

/** How many CPUs to take from which NUMA nodes. */
export interface Distribution extends Scored {
  /** Each of these gives the same number. */
  readonly nodes: ReadonlyArray<number>
  readonly each: number
}

interface Scored {
  /** The standard deviation of the remaining free CPUs, over all nodes. */
  readonly score: number
  /** The remainder is taken from these in turn, a group at a time. */
  readonly remainderNodes: ReadonlyArray<number>
}

/** Free CPUs by NUMA node. */
type FreeByNode = ReadonlyMap<number, number>

/**
 * The even distribution over `count` NUMA nodes that leaves the free CPUs of all nodes most balanced; undefined when
 * no choice of nodes has enough. Upstream: pkg/kubelet/cm/cpumanager/cpu_assignment.go takeByTopologyNUMADistributed.
 */
export const bestDistribution = (
  free: FreeByNode,
  wanted: number,
  groupSize: number,
  count: number
): Distribution | undefined => {
  const each = Math.floor(Math.floor(wanted / count) / groupSize) * groupSize
  let best: Distribution | undefined
  for (const nodes of combinations([...free.keys()], count)) {
    if (!nodes.every((node) => at(free, node) >= each)) continue
    const left = new Map(free)
    for (const node of nodes) left.set(node, at(left, node) - each)
    const scored = bestRemainder(left, nodes, wanted - each * count, groupSize)
    if (scored !== undefined && (best === undefined || scored.score < best.score)) best = { nodes, each, ...scored }
    if (best?.score === 0) break
  }
  return best
}

const at = (free: FreeByNode, node: number): number => free.get(node) ?? 0

const groupsIn = (free: FreeByNode, nodes: ReadonlyArray<number>, groupSize: number): number =>
  nodes.reduce((groups, node) => groups + Math.floor(at(free, node) / groupSize), 0)

/** The nodes to take the remainder from; undefined when all together have too little. */
const bestRemainder = (
  left: FreeByNode,
  nodes: ReadonlyArray<number>,
  remainder: number,
  groupSize: number
): Scored | undefined => {
  if (remainder === 0) return { score: imbalance(left), remainderNodes: [] }
  const eligible = nodes.filter((node) => at(left, node) >= groupSize)
  let best: Scored | undefined
  for (let size = eligible.length; size > 0; size--) {
    for (const subset of combinations(eligible, size)) {
      if (groupsIn(left, subset, groupSize) * groupSize < remainder) continue
      const score = imbalance(handedOut(left, subset, remainder, groupSize))
      if (best === undefined || score < best.score) best = { score, remainderNodes: subset }
    }
  }
  return best
}

/** The free CPUs after the remainder is taken in turn. The subset has enough groups. */
const handedOut = (
  left: FreeByNode,
  subset: ReadonlyArray<number>,
  remainder: number,
  groupSize: number
): FreeByNode => {
  const after = new Map(left)
  for (let missing = remainder; missing > 0; ) {
    for (const node of subset) {
      if (missing <= 0 || at(after, node) < groupSize) continue
      after.set(node, at(after, node) - groupSize)
      missing -= groupSize
    }
  }
  return after
}

/** Upstream rounds this way, and it decides ties. */
const toThreeDecimals = (value: number): number => Math.round(value * 1000) / 1000

/** The standard deviation of the free counts. */
const imbalance = (free: FreeByNode): number => {
  const counts = [...free.values()]
  const mean = toThreeDecimals(counts.reduce((sum, count) => sum + count, 0) / counts.length)
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0)
  return toThreeDecimals(Math.sqrt(squares / counts.length))
}
