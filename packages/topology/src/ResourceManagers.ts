import type { Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { CpuManager } from "./cpu/CpuManager.ts"
import { makeCpuManager } from "./cpu/makeCpuManager.ts"
import type { CpuSetChange } from "./cpu/reconcileCpus.ts"
import { type DeviceManager, makeDeviceManager } from "./devices/DeviceManager.ts"
import type { DeviceInventory } from "./devices/deviceHints.ts"
import type { Checkpoint, HintProvider } from "./hints.ts"
import type { MachineTopology } from "./MachineTopology.ts"
import type { PodRefusal } from "./manager/refusal.ts"
import { makeTopologyManager, type TopologyManager } from "./manager/TopologyManager.ts"
import { type MemoryManager, makeMemoryManager } from "./memory/MemoryManager.ts"
import { makeResourceMetrics, type ResourceMetrics } from "./metrics.ts"
import type { ResourceManagersConfig } from "./ResourceManagersConfig.ts"
import { nodeAllocatableReservation, reservedCpusOf } from "./reservations.ts"

export interface ResourceManagersOptions {
  readonly machine: MachineTopology
  readonly config: ResourceManagersConfig
  readonly devices?: DeviceInventory
  /** Absent: a restart forgets who holds what. */
  readonly checkpoint?: Checkpoint | undefined
  /** Bytes; absent: what the NUMA nodes have together. Percentages of eviction thresholds are of this. */
  readonly memoryCapacity?: number
  /**
   * All pods of the node that have not ended, admitted yet or not: others lose what they hold. undefined: not known yet, as after a restart
   * before the API server has answered; then nobody loses anything.
   */
  readonly activePods: () => ReadonlyArray<Pod> | undefined
  /** Milliseconds, to measure how long admissions take. */
  readonly now?: () => number
}

/** The topology, device, CPU and memory managers of one kubelet. */
export interface ResourceManagers {
  /** Gives a pod what it needs for itself, or says why it is refused. Fits a kubelet's chain of admission handlers. */
  readonly admit: (request: { readonly pod: Pod }) => PodRefusal | undefined
  /** The pod has ended: what it held is free at once, where a kubelet finds out at its next look. */
  readonly remove: (podUid: string) => void
  /** To be done every `cpuManagerReconcilePeriod` if `write` tells a runtime which CPUs a container runs on. */
  readonly reconcile: (write: (change: CpuSetChange) => boolean) => void
  /** The CPUs that a container runs on, as a list such as `0-3,8`; empty under policy none: any. */
  readonly cpusOf: (podUid: string, containerName: string) => string
  /** The NUMA nodes of a container's memory; undefined: any. */
  readonly memoryNodesOf: (podUid: string, containerName: string) => ReadonlyArray<number> | undefined
  readonly metrics: ResourceMetrics
  readonly topology: TopologyManager
  readonly devices: DeviceManager
  readonly cpu: CpuManager
  readonly memory: MemoryManager
}

const uidOf = (pod: Pod): string => pod.metadata.uid ?? ""

/**
 * Makes the managers as a kubelet does at its start, and restores their state. A failure is what stops the kubelet, in its words. Upstream:
 * pkg/kubelet/cm/container_manager_linux.go NewContainerManager.
 */
export const makeResourceManagers = (options: ResourceManagersOptions): Result.Result<ResourceManagers, string> =>
  Result.gen(function* () {
    const { activePods, checkpoint, config, machine } = options
    const gates = config.featureGates
    const metrics = makeResourceMetrics()
    const reservedSystemCpus = yield* reservedCpusOf(config.reservedSystemCPUs, machine)
    const topology = yield* makeTopologyManager({
      policy: config.topologyManagerPolicy,
      scope: config.topologyManagerScope,
      policyOptions: config.topologyManagerPolicyOptions,
      numaNodes: machine.numaNodes,
      gates,
      metrics,
      ...(options.now === undefined ? {} : { now: options.now })
    })
    const reservation = nodeAllocatableReservation(config, machine, options.memoryCapacity)
    const common = { machine, affinity: topology, gates, metrics, checkpoint }
    const devices = makeDeviceManager({ ...common, devices: options.devices ?? {} })
    const cpu = yield* makeCpuManager({
      ...common,
      policy: config.cpuManagerPolicy,
      policyOptions: config.cpuManagerPolicyOptions,
      reservedCpu: reservation.cpu,
      reservedSystemCpus,
      topologyManagerPolicy: config.topologyManagerPolicy
    })
    const memory = yield* makeMemoryManager({
      ...common,
      policy: config.memoryManagerPolicy,
      reservedMemory: config.reservedMemory,
      nodeAllocatableReservation: reservation
    })
    const providers: ReadonlyArray<HintProvider> = [devices, cpu, memory]

    const forgetAllBut = (active: ReadonlySet<string>): void => {
      topology.forgetAllBut(active)
      for (const provider of providers) provider.removeStale(active)
    }
    return {
      admit: ({ pod }) => {
        const active = activePods()
        if (active !== undefined) forgetAllBut(new Set([...active.map(uidOf), uidOf(pod)]))
        return topology.admit(pod, providers)
      },
      remove: (podUid) => {
        const active = activePods()
        if (active !== undefined) forgetAllBut(new Set(active.map(uidOf).filter((uid) => uid !== podUid)))
      },
      reconcile: (write) => {
        const active = activePods()
        if (active !== undefined) cpu.reconcile(active, write)
      },
      cpusOf: (podUid, containerName) => cpu.cpusOf(podUid, containerName).toString(),
      memoryNodesOf: memory.numaNodesOf,
      metrics,
      topology,
      devices,
      cpu,
      memory
    }
  })
