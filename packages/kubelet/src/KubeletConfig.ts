import {
  defaultRelease,
  type FeatureGates,
  featureGatesOf,
  type Release,
  type ResourceList,
  type Taint
} from "@rollcall/api"

/**
 * What a kubelet is told by its KubeletConfiguration and flags, as far as the modelled kubelet heeds it. Names are the real
 * ones, with the unit where a number needs one. Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go.
 */
export interface KubeletConfig {
  readonly registerNode: boolean
  /** Applied only when the Node is created. */
  readonly registerWithTaints: ReadonlyArray<Taint>
  /** `--node-labels`; applied only when the Node is created. */
  readonly nodeLabels: Readonly<Record<string, string>>
  readonly providerID: string
  /** `--cloud-provider=external`: a cloud controller owns the addresses and takes the taint `uninitialized` away. */
  readonly externalCloudProvider: boolean
  readonly nodeStatusUpdateFrequencyMs: number
  readonly nodeStatusReportFrequencyMs: number
  readonly nodeLeaseDurationSeconds: number
  /** Absent: what the machine says, else 110. */
  readonly maxPods: number | undefined
  /** 0: no limit by core. */
  readonly podsPerCore: number
  readonly nodeStatusMaxImages: number
  readonly enableControllerAttachDetach: boolean
  readonly localStorageCapacityIsolation: boolean
  readonly systemReserved: ResourceList
  readonly kubeReserved: ResourceList
  /** Quantities or percentages by signal. */
  readonly evictionHard: Readonly<Record<string, string>>
  readonly port: number
  readonly maxContainerRestartPeriodMs: number
  /** As `--node-ip` parses: none, one, or one of each family. */
  readonly nodeIPs: ReadonlyArray<string>
  readonly evictionSoft: Readonly<Record<string, string>>
  /** Milliseconds by signal. */
  readonly evictionSoftGracePeriodMs: Readonly<Record<string, number>>
  /** Quantities or percentages by signal. */
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>
  readonly evictionPressureTransitionPeriodMs: number
  /** Seconds. */
  readonly evictionMaxPodGracePeriod: number
  readonly enforceNodeAllocatable: ReadonlyArray<string>
  readonly allowedUnsafeSysctls: ReadonlyArray<string>
  readonly failSwapOn: boolean
  /** `memorySwap.swapBehavior`; empty: what the release means by that. */
  readonly swapBehavior: string
  readonly failCgroupV1: boolean
  readonly shutdownGracePeriodMs: number
  readonly shutdownGracePeriodCriticalPodsMs: number
  readonly shutdownGracePeriodByPodPriority: ReadonlyArray<{
    readonly priority: number
    readonly shutdownGracePeriodSeconds: number
  }>
  readonly topologyManagerPolicy: string
  readonly topologyManagerScope: string
  readonly topologyManagerPolicyOptions: Readonly<Record<string, string>>
  readonly cpuManagerPolicy: string
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>
  readonly cpuManagerReconcilePeriodMs: number
  /** A CPU list such as `0-1,8`; empty: picked by their number. */
  readonly reservedSystemCPUs: string
  readonly memoryManagerPolicy: string
  readonly reservedMemory: ReadonlyArray<{ readonly numaNode: number; readonly limits: ResourceList }>
  /** A manifest, or a folder of them; empty: none. */
  readonly staticPodPath: string
  readonly fileCheckFrequencyMs: number
  readonly syncFrequencyMs: number
  /** The gates of the release under what the configuration says. */
  readonly featureGates: FeatureGates
}

const defaults: Omit<KubeletConfig, "nodeStatusReportFrequencyMs" | "featureGates" | "failSwapOn" | "failCgroupV1"> = {
  registerNode: true,
  registerWithTaints: [],
  nodeLabels: {},
  providerID: "",
  externalCloudProvider: false,
  nodeStatusUpdateFrequencyMs: 10_000,
  nodeLeaseDurationSeconds: 40,
  maxPods: undefined,
  podsPerCore: 0,
  nodeStatusMaxImages: 50,
  enableControllerAttachDetach: true,
  localStorageCapacityIsolation: true,
  systemReserved: {},
  kubeReserved: {},
  evictionHard: {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%"
  },
  port: 10_250,
  maxContainerRestartPeriodMs: 300_000,
  nodeIPs: [],
  evictionSoft: {},
  evictionSoftGracePeriodMs: {},
  evictionMinimumReclaim: {},
  evictionPressureTransitionPeriodMs: 300_000,
  evictionMaxPodGracePeriod: 0,
  enforceNodeAllocatable: ["pods"],
  allowedUnsafeSysctls: [],
  swapBehavior: "",
  shutdownGracePeriodMs: 0,
  shutdownGracePeriodCriticalPodsMs: 0,
  shutdownGracePeriodByPodPriority: [],
  topologyManagerPolicy: "none",
  topologyManagerScope: "container",
  topologyManagerPolicyOptions: {},
  cpuManagerPolicy: "none",
  cpuManagerPolicyOptions: {},
  cpuManagerReconcilePeriodMs: 10_000,
  reservedSystemCPUs: "",
  memoryManagerPolicy: "None",
  reservedMemory: [],
  staticPodPath: "",
  fileCheckFrequencyMs: 20_000,
  syncFrequencyMs: 60_000
}

/**
 * Fills in the defaults of the release. A report frequency that is not given equals an update frequency that is; `evictionHard` replaces the
 * whole default set.
 */
export const kubeletConfig = (
  given: Partial<KubeletConfig> = {},
  release: Release = defaultRelease
): KubeletConfig => ({
  ...defaults,
  failSwapOn: release.swap.failSwapOn,
  failCgroupV1: release.failCgroupV1,
  featureGates: featureGatesOf(release),
  nodeStatusReportFrequencyMs: given.nodeStatusUpdateFrequencyMs ?? release.nodeStatusReportFrequencySeconds * 1000,
  ...given
})
