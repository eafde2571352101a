import * as Result from "effect/Result"
import { type AllocateFailure, allocateFailure } from "../hints.ts"
import { maskIds, type NumaMask } from "../masks.ts"
import type { CpuPolicyOptions } from "./CpuPolicyOptions.ts"
import { CpuSet } from "./CpuSet.ts"
import { unionOf } from "./CpuState.ts"
import { type CpuTopology, cpusOfUnit, cpusPerCore, withSiblings } from "./CpuTopology.ts"
import type { Selected } from "./selection/CpuSelection.ts"
import { selectCpus } from "./selection/selectCpus.ts"

/** What the decisions of the static policy depend on. It does not change while the kubelet runs. */
export interface StaticPolicy {
  readonly topology: CpuTopology
  readonly options: CpuPolicyOptions
  /** The CPUs that are never allocated exclusively. */
  readonly reserved: CpuSet
  /** The reserved CPUs and the other threads of their cores. */
  readonly reservedPhysical: CpuSet
}

/**
 * Makes the policy, which reserves CPUs for the system: the named ones, or else `count` of them, the lowest first.
 * Upstream: pkg/kubelet/cm/cpumanager/policy_static.go NewStaticPolicy.
 */
export const makeStaticPolicy = (
  topology: CpuTopology,
  options: CpuPolicyOptions,
  count: number,
  named: CpuSet
): Result.Result<StaticPolicy, string> => {
  const lowest = () => Result.getOrElse(selectCpus(topology, topology.all, count, options), () => CpuSet.empty)
  const reserved = named.isEmpty ? lowest() : named
  if (reserved.size !== count) {
    const detail = `(size of ${reserved} did not equal ${count})`
    return Result.fail(`[cpumanager] unable to reserve the required amount of CPUs ${detail}`)
  }
  const unknown = reserved.ids.find((id) => !topology.all.has(id))
  if (unknown !== undefined) {
    const detail = `unknown CPU ID: ${unknown}`
    return Result.fail(`[cpumanager] unable to build the reserved physical CPUs from the reserved set: ${detail}`)
  }
  return Result.succeed({ topology, options, reserved, reservedPhysical: withSiblings(topology, reserved, "core") })
}

/** Returns the CPUs of the shared pool that may be allocated exclusively. */
export const assignable = ({ reserved }: StaticPolicy, shared: CpuSet): CpuSet => shared.difference(reserved)

/**
 * Returns why the option full-pcpus-only refuses a request, or undefined if it does not: the request is not of whole
 * cores, or too few cores without reserved CPUs are free. Upstream: enforceSMTAlignment.
 */
export const smtAlignmentFault = (
  { options, reservedPhysical, topology }: StaticPolicy,
  shared: CpuSet,
  wanted: number
): AllocateFailure | undefined => {
  if (!options.fullPcpusOnly) return undefined
  const threads = cpusPerCore(topology)
  const failure = (what: string) => allocateFailure(`SMT Alignment Error: ${what}`, "SMTAlignmentError")
  if (wanted % threads !== 0) return failure(`requested ${wanted} cpus not multiple cpus per core = ${threads}`)
  const available = shared.difference(reservedPhysical).size
  if (wanted <= available) return undefined
  const counts = `available physical CPUs = ${available}, requested CPUs = ${wanted}, CPUs per core = ${threads}`
  return failure(`not enough free physical CPUs: ${counts}`)
}

/**
 * Chooses CPUs: first on the mask's NUMA nodes, and then on others. Reusable CPUs count as free. Upstream:
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
  const onPreferredNodes = mask === undefined ? CpuSet.empty : free.intersection(cpusOfMask(policy, mask))
  return Result.flatMap(
    selectCpus(topology, onPreferredNodes, Math.min(wanted, onPreferredNodes.size), options),
    (first) =>
      Result.map(selectCpus(topology, free.difference(first), wanted - first.size, options), (rest) =>
        first.union(rest)
      )
  )
}

/** Returns all CPUs of the mask's nodes or, with align-by-socket, of their sockets. */
const cpusOfMask = ({ options, topology }: StaticPolicy, mask: NumaMask): CpuSet => {
  const onNodes = unionOf(maskIds(mask).map((node) => cpusOfUnit(topology, "numaNode", node)))
  return options.alignBySocket ? withSiblings(topology, onNodes, "socket") : onNodes
}
