import type { CpuSet } from "../CpuSet.ts"
import { type CpuTopology, type CpuUnit, cpusOfUnit, cpusPerCore, cpusPerSocket } from "../CpuTopology.ts"
import { CpuSelection, type Selected, trivialSelection } from "./CpuSelection.ts"
import { type CpuGroup, hierarchyOf, pathTo } from "./FreeCpus.ts"
import { takeUncoreCaches } from "./takeUncore.ts"

/** Options of `takePacked`. */
export interface PackedOptions {
  /** Whether threads of different cores are preferred to threads of one core, so that no whole cores are taken. */
  readonly spread: boolean
  readonly alignByUncoreCache: boolean
}

/**
 * Takes CPUs packed together: whole units of the largest kind first, then of the next, then whole cores, then single
 * CPUs. Within a kind, units with the fewest free CPUs come first. Upstream: cpu_assignment.go
 * takeByTopologyNUMAPacked.
 */
export const takePacked = (
  topology: CpuTopology,
  available: CpuSet,
  wanted: number,
  options: PackedOptions
): Selected => {
  const trivial = trivialSelection(available, wanted)
  if (trivial !== undefined) return trivial
  const selection = new CpuSelection(topology, available, wanted)
  for (const step of steps(topology, options)) {
    step(selection)
    if (selection.isSatisfied) break
  }
  return selection.selected()
}

/** Returns the steps of a selection, of which as many are run as are needed. */
const steps = (topology: CpuTopology, options: PackedOptions): ReadonlyArray<(selection: CpuSelection) => void> => {
  const [first, second] = hierarchyOf(topology)
  const takeWhole = (unit: CpuUnit) => (selection: CpuSelection) =>
    selection.takeWhole(selection.free().along(pathTo(topology, unit)), isWholeUnit(topology, unit))
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

/** Returns whether all CPUs of a unit are free. As upstream, cores and sockets are compared with the average size. */
const isWholeUnit = (topology: CpuTopology, unit: CpuUnit): ((group: CpuGroup) => boolean) => {
  if (unit === "core") return (group) => group.length === cpusPerCore(topology)
  if (unit === "socket") return (group) => group.length === cpusPerSocket(topology)
  return (group) => group[0] !== undefined && group.length === cpusOfUnit(topology, unit, group[0][unit]).size
}
