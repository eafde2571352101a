import * as Result from "effect/Result"
import { type AllocateFailure, allocateFailure } from "../hints.ts"
import { maskIds, type NumaMask } from "../masks.ts"
import type { CpuPolicyOptions } from "./CpuPolicyOptions.ts"
import { CpuSet } from "./CpuSet.ts"
import { unionOf } from "./CpuState.ts"
import { type CpuTopology, cpusOfUnit, cpusPerCore, withSiblings } from "./CpuTopology.ts"
import type { Selected } from "./selection/CpuSelection.ts"
import { selectCpus } from "./selection/selectCpus.ts"

/** What the static policy goes by; nothing of it changes while the kubelet runs. */
export interface StaticPolicy {
  readonly topology: CpuTopology
  readonly options: CpuPolicyOptions
  /** Nobody's own, ever. */
  readonly reserved: CpuSet
  /** These and all that share a core with one of them. */
  readonly reservedPhysical: CpuSet
}

/**
 * Sets CPUs aside for the system: the ones named, else so many of the lowest. Upstream:
 * pkg/kubelet/cm/cpumanager/policy_static.go NewStaticPolicy.
 */
export const makeStaticPolicy = (
  topology: CpuTopology,
  options: CpuPolicyOptions,
  count: number,
  named: CpuSet
): Result.Result<StaticPolicy, string> => {
  const picked = () => Result.getOrElse(selectCpus(topology, topology.all, count, options), () => CpuSet.empty)
  const reserved = named.isEmpty ? picked() : named
  if (reserved.size !== count) {
    const complaint = `(size of ${reserved} did not equal ${count})`
    return Result.fail(`[cpumanager] unable to reserve the required amount of CPUs ${complaint}`)
  }
  const unknown = reserved.ids.find((id) => !topology.all.has(id))
  if (unknown !== undefined) {
    const complaint = `unknown CPU ID: ${unknown}`
    return Result.fail(`[cpumanager] unable to build the reserved physical CPUs from the reserved set: ${complaint}`)
  }
  return Result.succeed({ topology, options, reserved, reservedPhysical: withSiblings(topology, reserved, "core") })
}

/** What may be given away of the shared CPUs. */
export const assignable = ({ reserved }: StaticPolicy, shared: CpuSet): CpuSet => shared.difference(reserved)

/** Option full-pcpus-only: whole cores, and enough of them that no reserved CPU sits on. Upstream: enforceSMTAlignment. */
export const smtAlignmentFault = (
  { options, reservedPhysical, topology }: StaticPolicy,
  shared: CpuSet,
  wanted: number
): AllocateFailure | undefined => {
  if (!options.fullPcpusOnly) return undefined
  const threads = cpusPerCore(topology)
  const fault = (what: string) => allocateFailure(`SMT Alignment Error: ${what}`, "SMTAlignmentError")
  if (wanted % threads !== 0) return fault(`requested ${wanted} cpus not multiple cpus per core = ${threads}`)
  const available = shared.difference(reservedPhysical).size
  if (wanted <= available) return undefined
  const counts = `available physical CPUs = ${available}, requested CPUs = ${wanted}, CPUs per core = ${threads}`
  return fault(`not enough free physical CPUs: ${counts}`)
}

/**
 * CPUs to give away: of those on the mask's NUMA nodes as many as there are, then of the others. Reusable ones count as free. Upstream:
 * allocateCPUs.
 */
export const chooseCpus = (
  policy: StaticPolicy,
  shared: CpuSet,
  wanted: number,
  mask: NumaMask | undefined,
  reusable: CpuSet
): Selected => {
  const { options, topology } = policy
  const free = assignable(policy, shared).union(reusable)
  const near = mask === undefined ? CpuSet.empty : free.intersection(cpusNear(policy, mask))
  return Result.flatMap(selectCpus(topology, near, Math.min(wanted, near.size), options), (first) =>
    Result.map(selectCpus(topology, free.difference(first), wanted - first.size, options), (rest) => first.union(rest))
  )
}

/** All CPUs of the nodes; with align-by-socket, of the sockets that these touch. */
const cpusNear = ({ options, topology }: StaticPolicy, mask: NumaMask): CpuSet => {
  const onNodes = unionOf(maskIds(mask).map((node) => cpusOfUnit(topology, "numaNode", node)))
  return options.alignBySocket ? withSiblings(topology, onNodes, "socket") : onNodes
}
