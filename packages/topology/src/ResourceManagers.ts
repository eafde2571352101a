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

/** The machine of the managers, their configuration, and what they need of its kubelet. */
export interface ResourceManagersOptions {
  readonly machine: MachineTopology
  readonly config: ResourceManagersConfig
  readonly devices?: DeviceInventory
  /** Keeps the assignments across restarts; absent if a restart loses them. */
  readonly checkpoint?: Checkpoint | undefined
  /** The bytes to which eviction thresholds in percent refer; absent means the sum over the NUMA nodes. */
  readonly memoryCapacity?: number
  /**
   * Returns all pods of the node that have not terminated, admitted or not. Assignments of other pods are released.
   * Returns undefined while the pods are not known, as after a restart before the API server has answered: nothing is
   * released then.
   */
  readonly activePods: () => ReadonlyArray<Pod> | undefined
  /** Returns a time in milliseconds, to measure the duration of admissions; absent if it is not measured. */
  readonly now?: () => number
}

/** The topology, device, CPU and memory managers of one kubelet. */
export interface ResourceManagers {
  /**
   * Allocates a pod's exclusive resources, or returns why the pod is refused. It can be used as an admit handler of a
   * kubelet.
   */
  readonly admit: (request: { readonly pod: Pod }) => PodRefusal | undefined
  /** Releases the resources of a pod that has terminated, at once; a real kubelet does so at its next sync. */
  readonly remove: (podUid: string) => void
  /**
   * Releases the CPUs of inactive pods, and passes changed CPU sets of containers to `write`, which returns whether the
   * runtime applied them. The caller calls this every `cpuManagerReconcilePeriod`.
   */
  readonly reconcile: (write: (change: CpuSetChange) => boolean) => void
  /** Returns the CPUs of a container as a list such as `0-3,8`; empty under policy none, which allows any. */
  readonly cpusOf: (podUid: string, containerName: string) => string
  /** Returns the NUMA nodes of a container's memory, or undefined if it may be on any. */
  readonly memoryNodesOf: (podUid: string, containerName: string) => ReadonlyArray<number> | undefined
  readonly metrics: ResourceMetrics
  readonly topology: TopologyManager
  readonly devices: DeviceManager
  readonly cpu: CpuManager
  readonly memory: MemoryManager
}

const uidOf = (pod: Pod): string => pod.metadata.uid ?? ""

/**
 * Makes the managers as a kubelet does at its start, and restores their state. Fails with the error that stops the
 * kubelet. Upstream: pkg/kubelet/cm/container_manager_linux.go NewContainerManager.
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

    const retainOnly = (active: ReadonlySet<string>): void => {
      topology.retainOnly(active)
      for (const provider of providers) provider.removeStale(active)
    }
    return {
      admit: ({ pod }) => {
        const active = activePods()
        if (active !== undefined) retainOnly(new Set([...active.map(uidOf), uidOf(pod)]))
        return topology.admit(pod, providers)
      },
      remove: (podUid) => {
        const active = activePods()
        if (active !== undefined) retainOnly(new Set(active.map(uidOf).filter((uid) => uid !== podUid)))
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
