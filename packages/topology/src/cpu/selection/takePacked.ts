import type { CpuSet } from "../CpuSet.ts"
import { type CpuTopology, type CpuUnit, cpusOfUnit, cpusPerCore, cpusPerSocket } from "../CpuTopology.ts"
import { CpuSelection, type Selected, settledAtOnce } from "./CpuSelection.ts"
import { type CpuGroup, hierarchyOf, pathTo } from "./FreeCpus.ts"
import { takeUncoreCaches } from "./takeUncore.ts"

export interface PackedOptions {
  /** Threads of different cores before siblings, and so no whole cores. */
  readonly spread: boolean
  readonly alignByUncoreCache: boolean
}

/**
 * The best fit by the machine's build: whole units of the largest kind first, then of the next, then whole cores, then single
 * CPUs; within a kind what is closest to full first. Upstream: cpu_assignment.go takeByTopologyNUMAPacked.
 */
export const takePacked = (
  topology: CpuTopology,
  available: CpuSet,
  wanted: number,
  options: PackedOptions
): Selected => {
  const settled = settledAtOnce(available, wanted)
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

/** Cores and sockets are measured by the machine's average, NUMA nodes by their own size. */
const wholeness = (topology: CpuTopology, unit: CpuUnit): ((group: CpuGroup) => boolean) => {
  if (unit === "core") return (group) => group.length === cpusPerCore(topology)
  if (unit === "socket") return (group) => group.length === cpusPerSocket(topology)
  return (group) => group[0] !== undefined && group.length === cpusOfUnit(topology, unit, group[0][unit]).size
}
