import type { CpuSet } from "../CpuSet.ts"
import { type CpuTopology, type CpuUnit, cpusOfUnit, cpusPerCore, cpusPerSocket } from "../CpuTopology.ts"
import { CpuSelection, type Selected, trivialSelection } from "./CpuSelection.ts"
import { type CpuGroup, hierarchyOf, pathTo } from "./FreeCpus.ts"
import { takeUncoreCaches } from "./takeUncore.ts"

export interface PackedOptions {
  /** Prefer threads of different cores to siblings, and so take no whole cores. */
  readonly spread: boolean
  readonly alignByUncoreCache: boolean
}

/**
 * Takes the topologically best fit: whole units of the largest kind first, then of the next, then whole cores, then
 * single CPUs; within a kind the fullest first. Upstream: cpu_assignment.go takeByTopologyNUMAPacked.
 */
export const takePacked = (
  topology: CpuTopology,
  available: CpuSet,
  wanted: number,
  options: PackedOptions
): Selected => {
  const settled = trivialSelection(available, wanted)
  if (settled !== undefined) return settled
  const selection = new CpuSelection(topology, available, wanted)
  for (const step of steps(topology, options)) {
    step(selection)
    if (selection.isSatisfied) break
  }
  return selection.selected()
}

const steps = (topology: CpuTopology, options: PackedOptions): ReadonlyArray<(selection: CpuSelection) => void> => {
  const [first, second] = hierarchyOf(topology)
  const takeWhole = (unit: CpuUnit) => (selection: CpuSelection) =>
    selection.takeWhole(selection.free().along(pathTo(topology, unit)), wholeness(topology, unit))
  const takeSingle = (selection: CpuSelection) => {
    const path = pathTo(topology, options.spread ? "socket" : "core")
    selection.takeFirst(selection.free().along(path).flat())
  }
  return [
    takeWhole(first),
    takeWhole(second),
    ...(options.alignByUncoreCache ? [(selection: CpuSelection) => takeUncoreCaches(topology, selection)] : []),
    ...(options.spread ? [] : [takeWhole("core")]),
    takeSingle
  ]
}

/** Cores and sockets are compared with the machine's average size, NUMA nodes with their own. */
const wholeness = (topology: CpuTopology, unit: CpuUnit): ((group: CpuGroup) => boolean) => {
  if (unit === "core") return (group) => group.length === cpusPerCore(topology)
  if (unit === "socket") return (group) => group.length === cpusPerSocket(topology)
  return (group) => group[0] !== undefined && group.length === cpusOfUnit(topology, unit, group[0][unit]).size
}
