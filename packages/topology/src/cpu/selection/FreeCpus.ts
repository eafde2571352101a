import type { LogicalCpu } from "../../MachineTopology.ts"
import type { CpuSet } from "../CpuSet.ts"
import type { CpuTopology, CpuUnit } from "../CpuTopology.ts"

/** The free CPUs of one unit or of the machine, ascending by id. */
export type CpuGroup = ReadonlyArray<LogicalCpu>

/** The free CPUs, and the best-fit order of the units that contain them. */
export interface FreeCpus {
  readonly cpus: CpuGroup
  /**
   * Returns the free CPUs of each unit at the end of a path from the machine downwards. At each level, units with fewer
   * free CPUs come first, so that partly used units are filled before unused ones; of equal ones that with the lower
   * id.
   */
  readonly along: (path: ReadonlyArray<CpuUnit>) => ReadonlyArray<CpuGroup>
}

/** Returns the available CPUs with their units. */
export const freeCpusOf = (topology: CpuTopology, available: CpuSet): FreeCpus => {
  const cpus = available.ids.flatMap((id) => topology.cpus.get(id) ?? [])
  const grouped = new Map<CpuUnit, ReadonlyMap<number, CpuGroup>>()
  const groupsOf = (unit: CpuUnit): ReadonlyMap<number, CpuGroup> => {
    const groups = grouped.get(unit) ?? Map.groupBy(cpus, (cpu) => cpu[unit])
    grouped.set(unit, groups)
    return groups
  }
  const childrenOf = (parent: CpuGroup, unit: CpuUnit): ReadonlyArray<CpuGroup> => {
    const groups = groupsOf(unit)
    return [...new Set(parent.map((cpu) => cpu[unit]))]
      .map((id) => ({ group: groups.get(id) ?? [], id }))
      .sort((a, b) => a.group.length - b.group.length || a.id - b.id)
      .map(({ group }) => group)
  }
  const along = (path: ReadonlyArray<CpuUnit>): ReadonlyArray<CpuGroup> => {
    const found = path.reduce<ReadonlyArray<CpuGroup>>(
      (parents, unit) => parents.flatMap((parent) => childrenOf(parent, unit)),
      [cpus]
    )
    // A unit inside several others is found several times and counts once.
    return [...new Set(found)]
  }
  return { cpus, along }
}

/**
 * Returns the kinds of units from the machine down to cores. NUMA nodes are inside sockets only if there are more of
 * them.
 */
export const hierarchyOf = ({ numNumaNodes, numSockets }: CpuTopology): readonly [CpuUnit, CpuUnit, CpuUnit] =>
  numSockets >= numNumaNodes ? ["numaNode", "socket", "core"] : ["socket", "numaNode", "core"]

/** Returns the path from the machine down to a kind of unit. */
export const pathTo = (topology: CpuTopology, unit: CpuUnit): ReadonlyArray<CpuUnit> => {
  const hierarchy = hierarchyOf(topology)
  return hierarchy.slice(0, hierarchy.indexOf(unit) + 1)
}
