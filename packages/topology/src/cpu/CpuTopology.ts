import type { LogicalCpu, MachineTopology } from "../MachineTopology.ts"
import { CpuSet } from "./CpuSet.ts"

/** A unit of CPUs, by the field of `LogicalCpu` that holds its id. */
export type CpuUnit = "core" | "socket" | "numaNode" | "uncoreCache"

/**
 * A machine's topology as the CPU manager sees it. The counts are separate fields because rules use averages over
 * them, rounded down. Upstream: pkg/kubelet/cm/cpumanager/topology/topology.go CPUTopology.
 */
export interface CpuTopology {
  /** The CPUs, by id. */
  readonly cpus: ReadonlyMap<number, LogicalCpu>
  readonly all: CpuSet
  /** The CPUs of each core, socket, NUMA node and cache, by its id. */
  readonly units: Readonly<Record<CpuUnit, ReadonlyMap<number, CpuSet>>>
  /** The ids of the NUMA nodes, ascending. */
  readonly numaNodeIds: ReadonlyArray<number>
  readonly numCpus: number
  readonly numCores: number
  readonly numSockets: number
  readonly numNumaNodes: number
  readonly numUncoreCaches: number
}

const makeTopology = ({ cpus }: MachineTopology): CpuTopology => {
  const units = {
    core: grouped(cpus, "core"),
    socket: grouped(cpus, "socket"),
    numaNode: grouped(cpus, "numaNode"),
    uncoreCache: grouped(cpus, "uncoreCache")
  }
  return {
    cpus: new Map(cpus.map((cpu) => [cpu.id, cpu])),
    all: CpuSet.of(cpus.map(({ id }) => id)),
    units,
    numaNodeIds: [...units.numaNode.keys()].sort((a, b) => a - b),
    numCpus: cpus.length,
    numCores: units.core.size,
    numSockets: units.socket.size,
    numNumaNodes: units.numaNode.size,
    numUncoreCaches: units.uncoreCache.size
  }
}

const grouped = (cpus: ReadonlyArray<LogicalCpu>, unit: CpuUnit): ReadonlyMap<number, CpuSet> =>
  new Map([...Map.groupBy(cpus, (cpu) => cpu[unit])].map(([id, group]) => [id, CpuSet.of(group.map((cpu) => cpu.id))]))

/** Caches results, because many modelled machines share one MachineTopology object. */
const cache = new WeakMap<MachineTopology, CpuTopology>()

/** Returns the cores, sockets, NUMA nodes and caches of a machine's CPUs. */
export const cpuTopologyOf = (machine: MachineTopology): CpuTopology => {
  const topology = cache.get(machine) ?? makeTopology(machine)
  cache.set(machine, topology)
  return topology
}

const average = (cpus: number, units: number): number => (units === 0 ? 0 : Math.floor(cpus / units))

/** Returns the number of threads of a core: 1 without SMT. */
export const cpusPerCore = ({ numCores, numCpus }: CpuTopology): number => average(numCpus, numCores)
export const cpusPerSocket = ({ numCpus, numSockets }: CpuTopology): number => average(numCpus, numSockets)
export const cpusPerUncoreCache = ({ numCpus, numUncoreCaches }: CpuTopology): number =>
  average(numCpus, numUncoreCaches)

export const cpusOfUnit = (topology: CpuTopology, unit: CpuUnit, id: number): CpuSet =>
  topology.units[unit].get(id) ?? CpuSet.empty

/** Returns the CPUs that share a unit with one of these, these included: with `core`, all threads of their cores. */
export const withSiblings = (topology: CpuTopology, cpus: CpuSet, unit: CpuUnit): CpuSet => {
  const ids = new Set(cpus.ids.map((id) => topology.cpus.get(id)?.[unit]))
  return topology.all.filter((id) => ids.has(topology.cpus.get(id)?.[unit]))
}

/**
 * Whether all CPUs share one last-level cache; true for an empty set and a single CPU. Upstream: topology/alignment.go.
 */
export const isUncoreAligned = (topology: CpuTopology, cpus: CpuSet): boolean =>
  cpus.size < 2 || new Set(cpus.ids.map((id) => topology.cpus.get(id)?.uncoreCache)).size === 1
