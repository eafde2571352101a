import { defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import { type AllocateFailure, type CpuSet, parseCpuSet } from "@rollcall/topology"
import {
  type CpuPolicyOptions,
  type CpuTopology,
  chooseCpus,
  cpuHintsFor,
  cpuTopologyOf,
  exclusiveCpus,
  isUncoreAligned,
  makeStaticPolicy,
  maskIds,
  maskOf,
  noCpuPolicyOptions,
  noCpuState,
  parseCpuPolicyOptions,
  podExclusiveCpus,
  refusalOf,
  type Selected,
  type StaticPolicy,
  smtAlignmentFault,
  takeDistributed,
  takePacked,
  validateCpuState,
  withContainers,
  withSiblings
} from "@rollcall/topology/rules"
import * as Result from "effect/Result"
import type { Adapters, Json, VectorFile } from "../Adapter.ts"

const cpuSet = (text: string): CpuSet => Result.getOrThrow(parseCpuSet(text))
const gates = featureGatesOf(defaultRelease)

/** Returns the machine of a case. The counts are given separately: upstream's own test machines leave some at zero. */
const topologyOf = (given: Json, { topologies }: VectorFile): CpuTopology => {
  const machine = topologies[given.topology]
  const cpus = machine.cpus.map(([id, core, socket, numaNode, uncoreCache]: ReadonlyArray<number>) => ({
    id,
    core,
    socket,
    numaNode,
    uncoreCache
  }))
  return {
    ...cpuTopologyOf({ cpus, numaNodes: [] }),
    numCpus: machine.numCPUs,
    numCores: machine.numCores,
    numSockets: machine.numSockets,
    numNumaNodes: machine.numNUMANodes,
    numUncoreCaches: machine.numUncoreCaches
  }
}

const selectionResult = (selection: Selected): Json =>
  Result.match(selection, {
    onSuccess: (cpus) => ({ cpus: cpus.toString() }),
    onFailure: ({ message }) => ({ error: message })
  })

const optionsOf = (options: Json): CpuPolicyOptions => {
  const texts = Object.fromEntries(Object.entries(options ?? {}).map(([name, on]) => [name, String(on)]))
  const allGates = { ...gates, CPUManagerPolicyAlphaOptions: true, CPUManagerPolicyBetaOptions: true }
  return Result.getOrThrow(parseCpuPolicyOptions(texts, allGates))
}

const allocate = (given: Json, file: VectorFile): Json => {
  const topology = topologyOf(given, file)
  const reserved = cpuSet(given.reserved)
  const shared = cpuSet(given.defaultCpuSet)
  const policy: StaticPolicy = {
    topology,
    options: optionsOf(given.options),
    reserved,
    reservedPhysical: withSiblings(topology, reserved, "core")
  }
  const failureResult = (failure: AllocateFailure): Json => ({
    error: failure.message,
    reason: refusalOf(failure).reason
  })
  const misaligned = smtAlignmentFault(policy, shared, given.numCPUs)
  if (misaligned !== undefined) return failureResult(misaligned)
  const mask = given.affinity === null ? undefined : maskOf(given.affinity)
  return Result.match(chooseCpus(policy, shared, given.numCPUs, mask, cpuSet(given.reusable)), {
    onFailure: failureResult,
    onSuccess: (cpus) => ({
      cpus: cpus.toString(),
      defaultCpuSetAfter: withContainers({ ...noCpuState, shared }, "uid", [["c", cpus]]).shared.toString(),
      uncoreAligned: isUncoreAligned(topology, cpus)
    })
  })
}

const guaranteedCpus = (given: Json): Json => {
  const container = ({ cpu, name, restartPolicy }: Json): Json => {
    const amounts = cpu === null ? {} : { cpu, memory: "1Gi" }
    return { name, ...(restartPolicy ? { restartPolicy } : {}), resources: { requests: amounts, limits: amounts } }
  }
  const initContainers = (given.initContainers ?? []).map(container)
  const containers = given.containers.map(container)
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {},
    spec: { initContainers, containers },
    status: { qosClass: given.qosClass }
  }
  const all: ReadonlyArray<Json> = [...initContainers, ...containers]
  return {
    perContainer: Object.fromEntries(all.map((one) => [one.name, exclusiveCpus(pod, one, gates)])),
    pod: podExclusiveCpus(pod, gates)
  }
}

const hints = (given: Json, file: VectorFile): Json => {
  const available = cpuSet(given.available)
  const reusable = cpuSet(given.reusable)
  const found = cpuHintsFor(topologyOf(given, file), given.alignBySocket, available, reusable, given.request)
  return {
    hints: found.map(({ mask, preferred }) => ({ numaNodes: mask === undefined ? null : maskIds(mask), preferred }))
  }
}

const reserve = (given: Json, file: VectorFile): Json => {
  const options = { ...noCpuPolicyOptions, distributeCpusAcrossNuma: given.distributeCPUsAcrossNUMA ?? false }
  const named = cpuSet(given.reservedSystemCPUs)
  return Result.match(makeStaticPolicy(topologyOf(given, file), options, given.numReservedCPUs, named), {
    onFailure: (error) => ({ error }),
    onSuccess: ({ reserved, reservedPhysical }) => ({
      reserved: reserved.toString(),
      reservedPhysical: reservedPhysical.toString()
    })
  })
}

const stateValidation = (given: Json): Json => {
  const containers = new Map(
    Object.entries(given.entries).map(([pod, owned]) => [
      pod,
      new Map(Object.entries(owned as Json).map(([name, cpus]) => [name, cpuSet(String(cpus))]))
    ])
  )
  const state = { shared: cpuSet(given.defaultCpuSet), containers, pods: new Map<string, CpuSet>() }
  const rules = {
    all: cpuSet(given.machineCPUs),
    reserved: cpuSet(given.reserved),
    strict: given.strictCPUReservation
  }
  return Result.match(validateCpuState(state, rules), {
    onFailure: (error) => ({ error }),
    onSuccess: ({ shared }) => ({ error: null, defaultCpuSetAfter: shared.toString() })
  })
}

export const cpuManagerAdapters: Adapters = {
  "cpumanager/allocate": ({ given }, file) => allocate(given, file),
  "cpumanager/guaranteed-cpus": ({ given }) => guaranteedCpus(given),
  "cpumanager/hints": ({ given }, file) => hints(given, file),
  "cpumanager/policy-options": ({ given }) => ({
    error: Result.getOrElse(
      Result.flip(parseCpuPolicyOptions(given.options, { ...gates, ...given.featureGates })),
      () => null
    )
  }),
  "cpumanager/reserve": ({ given }, file) => reserve(given, file),
  "cpumanager/state-validation": ({ given }) => stateValidation(given),
  "cpumanager/takebytopology-packed": ({ given }, file) =>
    selectionResult(
      takePacked(topologyOf(given, file), cpuSet(given.available), given.numCPUs, {
        spread: given.sorting === "spread",
        alignByUncoreCache: given.preferAlignByUncoreCache
      })
    ),
  "cpumanager/takebytopology-distributed": ({ given }, file) =>
    selectionResult(
      takeDistributed(topologyOf(given, file), cpuSet(given.available), given.numCPUs, {
        spread: given.sorting === "spread",
        groupSize: given.cpuGroupSize
      })
    )
}
