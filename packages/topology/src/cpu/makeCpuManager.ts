import { milliValue, signOf, sortedEntries } from "@rollcall/api"
import * as Result from "effect/Result"
import { restoreError } from "../internal/restoreError.ts"
import type { CpuManager, CpuManagerOptions } from "./CpuManager.ts"
import { cpuPolicyOptionsFault, parseCpuPolicyOptions } from "./CpuPolicyOptions.ts"
import { CpuSet } from "./CpuSet.ts"
import { type CpuState, noCpuState, validateCpuState } from "./CpuState.ts"
import { cpuTopologyOf } from "./CpuTopology.ts"
import { cpuStateFile, cpuStateText, restoreCpuState } from "./cpuCheckpoint.ts"
import { makeStaticPolicy, type StaticPolicy } from "./StaticPolicy.ts"
import { makeStaticCpuManager } from "./staticCpuManager.ts"

/**
 * Makes the manager and restores its state. Fails with the error that stops the kubelet.
 * Upstream: pkg/kubelet/cm/cpumanager/cpu_manager.go NewManager and Start.
 */
export const makeCpuManager = (options: CpuManagerOptions): Result.Result<CpuManager, string> => {
  if (options.policy === "none") return noneManager(options)
  if (options.policy !== "static") return Result.fail(`unknown policy: "${options.policy}"`)
  return Result.gen(function* () {
    const policy = yield* staticPolicy(options)
    const restored = yield* restore(options)
    const rules = {
      all: policy.topology.all,
      reserved: policy.reserved,
      strict: policy.options.strictCpuReservation
    }
    return makeStaticCpuManager(policy, yield* validateCpuState(restored, rules), options)
  })
}

/** Reads the state from the checkpoint; an empty state without one. */
const restore = ({ checkpoint, containerRef, gates, policy }: CpuManagerOptions): Result.Result<CpuState, string> => {
  const text = checkpoint?.read(cpuStateFile)
  if (checkpoint === undefined || text === undefined) return Result.succeed(noCpuState)
  return Result.mapBoth(restoreCpuState(text, policy, containerRef), {
    onFailure: (cause) => restoreError(cause, "CPU", checkpoint, cpuStateFile),
    onSuccess: (state) => (gates.PodLevelResourceManagers ? state : { ...state, pods: noCpuState.pods })
  })
}

const staticPolicy = (options: CpuManagerOptions): Result.Result<StaticPolicy, string> => {
  const { machine, reservedCpu, reservedSystemCpus, topologyManagerPolicy } = options
  const reserved = reservedSystemCpus.isEmpty ? reservedCpu : reservedSystemCpus.size
  if (reserved === undefined) {
    return Result.fail("[cpumanager] unable to determine reserved CPU resources for static policy")
  }
  if (signOf(reserved) === 0) {
    const detail = "the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero"
    return Result.fail(`[cpumanager] ${detail}`)
  }
  const topology = cpuTopologyOf(machine)
  const madePolicy = Result.gen(function* () {
    const policyOptions = yield* parseCpuPolicyOptions(options.policyOptions, options.gates)
    const fault = cpuPolicyOptionsFault(policyOptions, topology, topologyManagerPolicy)
    if (fault !== undefined) return yield* Result.fail(fault)
    return yield* makeStaticPolicy(topology, policyOptions, Math.ceil(milliValue(reserved) / 1000), reservedSystemCpus)
  })
  return Result.mapError(madePolicy, (message) => `new static policy error: ${message}`)
}

/**
 * Makes the manager of policy none, under which all containers run on all CPUs. It still writes a checkpoint, so that a
 * later change of the policy is detected.
 */
const noneManager = (options: CpuManagerOptions): Result.Result<CpuManager, string> => {
  const given = sortedEntries(options.policyOptions)
  if (given.length > 0) {
    const listed = given.map(([name, text]) => `${name}:${text}`).join(" ")
    return Result.fail(`new none policy error: None policy: received unsupported options=map[${listed}]`)
  }
  return Result.map(restore(options), (state) => {
    options.checkpoint?.write(cpuStateFile, cpuStateText("none", state))
    return {
      name: "cpu",
      policy: "none",
      state: () => state,
      allocatable: CpuSet.empty,
      cpusOf: () => state.shared,
      getTopologyHints: () => null,
      getPodTopologyHints: () => null,
      allocate: () => undefined,
      removeStale: () => {},
      reconcile: () => {}
    }
  })
}
