import { type Container, defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { CpuManagerOptions } from "../../src/cpu/CpuManager.ts"
import { makeCpuManager } from "../../src/cpu/makeCpuManager.ts"
import { zeroHint } from "../../src/hints.ts"
import {
  type AllocateFailure,
  type Checkpoint,
  type CpuManager,
  CpuSet,
  makeResourceMetrics,
  parseCpuSet
} from "../../src/index.ts"
import { containersOf } from "../../src/podResources.ts"
import { dualSocket } from "./machines.ts"

export const cpus = (text: string): CpuSet => Result.getOrThrow(parseCpuSet(text))

export const container = (name: string, cpu: string, more: Partial<Container> = {}): Container => {
  const amounts = { cpu, memory: "1Gi" }
  return { name, resources: { requests: amounts, limits: amounts }, ...more }
}

export const sidecar = (name: string, cpu: string): Container => container(name, cpu, { restartPolicy: "Always" })

export const podOf = (
  uid: string,
  containers: ReadonlyArray<Container>,
  initContainers: ReadonlyArray<Container> = []
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: uid, uid },
  spec: { containers, ...(initContainers.length === 0 ? {} : { initContainers }) }
})

/** Files that outlive a manager. */
export const memoryFiles = (
  texts: Map<string, string> = new Map()
): Checkpoint & { readonly texts: Map<string, string> } => ({
  texts,
  read: (name) => texts.get(name),
  write: (name, text) => void texts.set(name, text)
})

export const cpuOptions = (more: Partial<CpuManagerOptions> = {}): CpuManagerOptions => ({
  policy: "static",
  policyOptions: {},
  machine: dualSocket,
  reservedCpu: "1",
  reservedSystemCpus: CpuSet.empty,
  topologyManagerPolicy: "none",
  gates: featureGatesOf(defaultRelease),
  affinity: { getAffinity: () => zeroHint },
  metrics: makeResourceMetrics(),
  ...more
})

export const cpuManager = (more: Partial<CpuManagerOptions> = {}): CpuManager =>
  Result.getOrThrow(makeCpuManager(cpuOptions(more)))

/** As the topology manager tells it, until one fails. */
export const allocateAll = (manager: CpuManager, pod: Pod): AllocateFailure | undefined => {
  for (const one of containersOf(pod)) {
    const failure = manager.allocate(pod, one)
    if (failure !== undefined) return failure
  }
  return undefined
}
