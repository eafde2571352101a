import * as Result from "effect/Result"
import { CpuSet } from "../CpuSet.ts"
import { type CpuTopology, cpusOfUnit } from "../CpuTopology.ts"
import { type Selected, trivialSelection } from "./CpuSelection.ts"
import { bestDistribution, type Distribution } from "./distribution.ts"
import { freeCpusOf, pathTo } from "./FreeCpus.ts"
import { takePacked } from "./takePacked.ts"

export interface DistributedOptions {
  /** Whether threads of different cores are preferred to threads of one core. */
  readonly spread: boolean
  /** The number of CPUs that are taken together: 1, or the threads of a core. */
  readonly groupSize: number
}

/**
 * Takes CPUs evenly from as few NUMA nodes as the machine allows, so that the remaining free CPUs are balanced too. A
 * request that is not a multiple of the group size, or that has no even distribution, is packed instead. Upstream:
 * cpu_assignment.go takeByTopologyNUMADistributed.
 */
export const takeDistributed = (
  topology: CpuTopology,
  available: CpuSet,
  wanted: number,
  { groupSize, spread }: DistributedOptions
): Selected => {
  const trivial = trivialSelection(available, wanted)
  if (trivial !== undefined) return trivial
  const packed = (from: CpuSet, count: number) =>
    takePacked(topology, from, count, { spread, alignByUncoreCache: false })
  if (wanted % groupSize !== 0) return packed(available, wanted)

  const free = new Map(
    freeCpusOf(topology, available)
      .along(pathTo(topology, "numaNode"))
      .map((cpus) => [cpus[0]?.numaNode ?? 0, cpus.length])
  )
  const groupsPerNode = Math.ceil(Math.ceil(topology.all.size / groupSize) / topology.numaNodeIds.length)
  const groups = wanted / groupSize
  for (let count = Math.ceil(groups / groupsPerNode); count <= Math.min(groups, free.size); count++) {
    const distribution = bestDistribution(free, wanted, groupSize, count)
    if (distribution !== undefined) return takeFrom(distribution, topology, available, wanted, groupSize, packed)
  }
  return packed(available, wanted)
}

const takeFrom = (
  { perNode, nodes, remainderNodes }: Distribution,
  topology: CpuTopology,
  available: CpuSet,
  wanted: number,
  groupSize: number,
  packed: (from: CpuSet, count: number) => Selected
): Selected => {
  let taken = CpuSet.empty
  const takeFromNode = (node: number, count: number): void => {
    const left = available.intersection(cpusOfUnit(topology, "numaNode", node)).difference(taken)
    taken = taken.union(Result.getOrElse(packed(left, count), () => CpuSet.empty))
  }
  for (const node of nodes) takeFromNode(node, perNode)
  // A node without free groups gives nothing. The loop ends with the first round in which no node gives anything.
  for (let before = -1; before < taken.size && taken.size < wanted; ) {
    before = taken.size
    for (const node of remainderNodes) if (taken.size < wanted) takeFromNode(node, groupSize)
  }
  return taken.size < wanted ? packed(available, wanted) : Result.succeed(taken)
}
