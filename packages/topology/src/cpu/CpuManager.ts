import type { FeatureGates, Pod, QuantityLike } from "@rollcall/api"
import type { AffinityStore, Checkpoint, HintProvider } from "../hints.ts"
import type { MachineTopology } from "../MachineTopology.ts"
import type { ResourceMetrics } from "../metrics.ts"
import type { CpuSet } from "./CpuSet.ts"
import type { CpuState } from "./CpuState.ts"
import type { ContainerRef } from "./cpuCheckpoint.ts"
import type { CpuSetChange } from "./reconcileCpus.ts"

/** The kubelet's CPU manager: a hint provider, and the source of the CPU sets that a runtime applies. */
export interface CpuManager extends HintProvider {
  readonly name: "cpu"
  readonly policy: "none" | "static"
  readonly state: () => CpuState
  /** The CPUs that may be allocated exclusively; empty under policy none. */
  readonly allocatable: CpuSet
  /** Returns a container's exclusive CPUs, or the shared pool if it has none. */
  readonly cpusOf: (podUid: string, containerName: string) => CpuSet
  /**
   * Releases the CPUs of inactive pods, and then writes the set of each running container that differs from the last
   * written one. `write` returns whether it succeeded. The caller calls this every `cpuManagerReconcilePeriod`; under
   * policy none it does nothing.
   */
  readonly reconcile: (activePods: ReadonlyArray<Pod>, write: (change: CpuSetChange) => boolean) => void
}

/** The configuration and the dependencies of a CPU manager. */
export interface CpuManagerOptions {
  /** `cpuManagerPolicy` */
  readonly policy: string
  /** `cpuManagerPolicyOptions` */
  readonly policyOptions: Readonly<Record<string, string>>
  readonly machine: MachineTopology
  /** The cpu of `kubeReserved` and `systemReserved` together; undefined if neither reserves cpu. */
  readonly reservedCpu: QuantityLike | undefined
  /** `reservedSystemCPUs`. If the set is not empty, it replaces `reservedCpu`. */
  readonly reservedSystemCpus: CpuSet
  readonly topologyManagerPolicy: string
  readonly gates: Pick<
    FeatureGates,
    "CPUManagerPolicyAlphaOptions" | "CPUManagerPolicyBetaOptions" | "PodLevelResources" | "PodLevelResourceManagers"
  >
  readonly affinity: AffinityStore
  /** Keeps the assignments across restarts; absent if a restart loses them. */
  readonly checkpoint?: Checkpoint | undefined
  readonly metrics: ResourceMetrics
  /** Looks up containers that existed before the kubelet started, for checkpoints of the first format. */
  readonly containerRef?: ContainerRef | undefined
}
