import type { CpuPolicyOptions } from "../CpuPolicyOptions.ts"
import type { CpuSet } from "../CpuSet.ts"
import { type CpuTopology, cpusPerCore } from "../CpuTopology.ts"
import type { Selected } from "./CpuSelection.ts"
import { takeDistributed } from "./takeDistributed.ts"
import { takePacked } from "./takePacked.ts"

/**
 * Selects this many of the available CPUs, according to the policy's options.
 * Upstream: pkg/kubelet/cm/cpumanager/policy_static.go takeByTopology.
 */
export const selectCpus = (
  topology: CpuTopology,
  available: CpuSet,
  wanted: number,
  options: CpuPolicyOptions
): Selected => {
  const spread = options.distributeCpusAcrossCores
  if (!options.distributeCpusAcrossNuma) {
    return takePacked(topology, available, wanted, { spread, alignByUncoreCache: options.preferAlignByUncoreCache })
  }
  const groupSize = options.fullPcpusOnly ? cpusPerCore(topology) : 1
  return takeDistributed(topology, available, wanted, { spread, groupSize })
}
