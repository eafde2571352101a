import type { FeatureGates, Pod, QuantityLike } from "@rollcall/api"
import type { AffinityStore, Checkpoint, HintProvider } from "../hints.ts"
import type { MachineTopology } from "../MachineTopology.ts"
import type { ResourceMetrics } from "../metrics.ts"
import type { CpuSet } from "./CpuSet.ts"
import type { CpuState } from "./CpuState.ts"
import type { ContainerRef } from "./cpuCheckpoint.ts"
import type { CpuSetChange } from "./reconcileCpus.ts"

/** The kubelet's CPU manager, as a hint provider and as what tells a runtime on which CPUs a container runs. */
export interface CpuManager extends HintProvider {
  readonly name: "cpu"
  readonly policy: "none" | "static"
  readonly state: () => CpuState
  /** What may ever be somebody's own; empty under policy none. */
  readonly allocatable: CpuSet
  /** A container's own CPUs, else the shared ones. */
  readonly cpusOf: (podUid: string, containerName: string) => CpuSet
  /**
   * To be done every `cpuManagerReconcilePeriod`: gives back what inactive pods hold, then writes the set of each running container that is
   * not what was last written. `write` tells whether it worked. Nothing under policy none.
   */
  readonly reconcile: (activePods: ReadonlyArray<Pod>, write: (change: CpuSetChange) => boolean) => void
}

export interface CpuManagerOptions {
  /** `cpuManagerPolicy` */
  readonly policy: string
  /** `cpuManagerPolicyOptions` */
  readonly policyOptions: Readonly<Record<string, string>>
  readonly machine: MachineTopology
  /** CPU of `kubeReserved` and `systemReserved` together; undefined: they name none. */
  readonly reservedCpu: QuantityLike | undefined
  /** `reservedSystemCPUs`; if not empty, these take the place of `reservedCpu`. */
  readonly reservedSystemCpus: CpuSet
  readonly topologyManagerPolicy: string
  readonly gates: Pick<
    FeatureGates,
    "CPUManagerPolicyAlphaOptions" | "CPUManagerPolicyBetaOptions" | "PodLevelResources" | "PodLevelResourceManagers"
  >
  readonly affinity: AffinityStore
  /** Absent: a restart forgets. */
  readonly checkpoint?: Checkpoint | undefined
  readonly metrics: ResourceMetrics
  /** Of containers that were there before the kubelet: for checkpoints of the oldest format. */
  readonly containerRef?: ContainerRef | undefined
}
