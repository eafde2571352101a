import type { LogicalCpu } from "../../MachineTopology.ts"
import type { CpuSet } from "../CpuSet.ts"
import type { CpuTopology, CpuUnit } from "../CpuTopology.ts"

/** CPUs that may be taken, of one unit or of the machine; ascending by id. */
export type CpuGroup = ReadonlyArray<LogicalCpu>

/** The free CPUs of a moment, and the order in which a best fit looks at the units that hold them. */
export interface FreeCpus {
  readonly cpus: CpuGroup
  /**
   * The free CPUs of each unit at the end of a path from the machine downwards: below each unit in turn those that have some, the
   * one with the fewest first, of equals the lower id. So what is in use already gets filled before what is untouched.
   */
  readonly along: (path: ReadonlyArray<CpuUnit>) => ReadonlyArray<CpuGroup>
}

export const freeCpusOf = (topology: CpuTopology, available: CpuSet): FreeCpus => {
  const cpus = available.ids.flatMap((id) => topology.cpus.get(id) ?? [])
  const grouped = new Map<CpuUnit, ReadonlyMap<number, CpuGroup>>()
  const groupsOf = (unit: CpuUnit): ReadonlyMap<number, CpuGroup> => {
    const groups = grouped.get(unit) ?? Map.groupBy(cpus, (cpu) => cpu[unit])
    grouped.set(unit, groups)
    return groups
  }
  const below = (parent: CpuGroup, unit: CpuUnit): ReadonlyArray<CpuGroup> => {
    const groups = groupsOf(unit)
    return [...new Set(parent.map((cpu) => cpu[unit]))]
      .map((id) => ({ group: groups.get(id) ?? [], id }))
      .sort((a, b) => a.group.length - b.group.length || a.id - b.id)
      .map(({ group }) => group)
  }
  const along = (path: ReadonlyArray<CpuUnit>): ReadonlyArray<CpuGroup> => {
    const found = path.reduce<ReadonlyArray<CpuGroup>>(
      (parents, unit) => parents.flatMap((parent) => below(parent, unit)),
      [cpus]
    )
    // A unit that lies in several others is met several times and counts once.
    return [...new Set(found)]
  }
  return { cpus, along }
}

/** From the machine to its cores. Sockets are within NUMA nodes unless there are more nodes than sockets. */
export const hierarchyOf = ({ numNumaNodes, numSockets }: CpuTopology): readonly [CpuUnit, CpuUnit, CpuUnit] =>
  numSockets >= numNumaNodes ? ["numaNode", "socket", "core"] : ["socket", "numaNode", "core"]

/** From the machine to one of the units on the way. */
export const pathTo = (topology: CpuTopology, unit: CpuUnit): ReadonlyArray<CpuUnit> => {
  const hierarchy = hierarchyOf(topology)
  return hierarchy.slice(0, hierarchy.indexOf(unit) + 1)
}
