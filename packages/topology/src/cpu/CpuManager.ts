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
  /** CPUs that may be allocated exclusively; empty under policy none. */
  readonly allocatable: CpuSet
  /** A container's exclusive CPUs, else the shared pool. */
  readonly cpusOf: (podUid: string, containerName: string) => CpuSet
  /**
   * To be called every `cpuManagerReconcilePeriod`: releases the CPUs of inactive pods, then writes the set of each
   * running container that differs from the last written one. `write` returns whether it succeeded. Does nothing under
   * policy none.
   */
  readonly reconcile: (activePods: ReadonlyArray<Pod>, write: (change: CpuSetChange) => boolean) => void
}

export interface CpuManagerOptions {
  /** `cpuManagerPolicy` */
  readonly policy: string
  /** `cpuManagerPolicyOptions` */
  readonly policyOptions: Readonly<Record<string, string>>
  readonly machine: MachineTopology
  /** CPU of `kubeReserved` and `systemReserved` together; undefined: neither names CPU. */
  readonly reservedCpu: QuantityLike | undefined
  /** `reservedSystemCPUs`; if not empty, these replace `reservedCpu`. */
  readonly reservedSystemCpus: CpuSet
  readonly topologyManagerPolicy: string
  readonly gates: Pick<
    FeatureGates,
    "CPUManagerPolicyAlphaOptions" | "CPUManagerPolicyBetaOptions" | "PodLevelResources" | "PodLevelResourceManagers"
  >
  readonly affinity: AffinityStore
  /** Absent: a restart loses the assignments. */
  readonly checkpoint?: Checkpoint | undefined
  readonly metrics: ResourceMetrics
  /** Looks up containers that existed before the kubelet started: for checkpoints of the oldest format. */
  readonly containerRef?: ContainerRef | undefined
}
