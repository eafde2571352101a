import {
  defaultRelease,
  type FeatureGates,
  featureGatesOf,
  parseDuration,
  type Release,
  type ResourceList,
  type Taint
} from "@rollcall/api"
import * as Result from "effect/Result"
import { countCPUs } from "./config/cpuList.ts"
import { defaultEvictionHard } from "./config/defaults.ts"
import type { KubeletConfiguration } from "./config/fields.ts"
import { type ImageSettings, imageDefaults, imageSettingsOf } from "./config/imageSettings.ts"
import { parseReservation } from "./config/reservations.ts"

/**
 * The settings of a KubeletConfiguration and of flags that the modelled kubelet uses. Names are upstream's, with the
 * unit where a number needs one. Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go.
 */
export interface KubeletConfig extends ImageSettings {
  readonly registerNode: boolean
  /** Applied only when the Node is created. */
  readonly registerWithTaints: ReadonlyArray<Taint>
  /** `--node-labels`; applied only when the Node is created. */
  readonly nodeLabels: Readonly<Record<string, string>>
  readonly providerID: string
  /** `--cloud-provider=external`: a cloud controller manages the addresses and removes the taint `uninitialized`. */
  readonly externalCloudProvider: boolean
  readonly nodeStatusUpdateFrequencyMs: number
  readonly nodeStatusReportFrequencyMs: number
  readonly nodeLeaseDurationSeconds: number
  /** The limit of pods; undefined means the machine's own limit or, if it has none, 110. */
  readonly maxPods: number | undefined
  /** The limit of pods for each core; 0 means no such limit. */
  readonly podsPerCore: number
  /** How many processes a pod may have; none below 1. */
  readonly podPidsLimit: number
  readonly nodeStatusMaxImages: number
  readonly enableControllerAttachDetach: boolean
  readonly localStorageCapacityIsolation: boolean
  readonly systemReserved: ResourceList
  readonly kubeReserved: ResourceList
  /** Quantities or percentages by signal. */
  readonly evictionHard: Readonly<Record<string, string>>
  readonly port: number
  /** Whether its server has the paths for commands, logs, ports and its configuration. */
  readonly enableDebuggingHandlers: boolean
  /** Whether its server shows the logs of the machine. */
  readonly enableSystemLogHandler: boolean
  readonly maxContainerRestartPeriodMs: number
  /** A quantity: the size at which the log of a container is rotated. No log is if it is negative. */
  readonly containerLogMaxSize: string
  /** How often the sizes of logs are looked at. */
  readonly containerLogMonitorIntervalMs: number
  /** The addresses of `--node-ip`: none, one, or one of each family. */
  readonly nodeIPs: ReadonlyArray<string>
  readonly evictionSoft: Readonly<Record<string, string>>
  /** Milliseconds by signal. */
  readonly evictionSoftGracePeriodMs: Readonly<Record<string, number>>
  /** Quantities or percentages by signal. */
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>
  readonly evictionPressureTransitionPeriodMs: number
  /** The longest grace period of a soft eviction, in seconds. */
  readonly evictionMaxPodGracePeriod: number
  readonly enforceNodeAllocatable: ReadonlyArray<string>
  readonly allowedUnsafeSysctls: ReadonlyArray<string>
  readonly failSwapOn: boolean
  /** `memorySwap.swapBehavior`; empty means the release's default. */
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
  /** A CPU list such as `0-1,8`; empty if the reserved CPUs are chosen by their number. */
  readonly reservedSystemCPUs: string
  readonly memoryManagerPolicy: string
  readonly reservedMemory: ReadonlyArray<{ readonly numaNode: number; readonly limits: ResourceList }>
  /** A manifest file, or a folder of them; empty if there is none. */
  readonly staticPodPath: string
  readonly fileCheckFrequencyMs: number
  /** The URL of manifests; empty if there is none. */
  readonly staticPodURL: string
  readonly staticPodURLHeader: Readonly<Record<string, ReadonlyArray<string>>>
  readonly httpCheckFrequencyMs: number
  readonly syncFrequencyMs: number
  /** `--low-diskspace-threshold-mb`, for releases with the condition OutOfDisk. */
  readonly lowDiskSpaceThresholdMB: number
  /** `--outofdisk-transition-frequency`. */
  readonly outOfDiskTransitionFrequencyMs: number
  /** The gates of the release, overridden by the configuration. */
  readonly featureGates: FeatureGates
}

const defaults: Omit<
  KubeletConfig,
  "nodeStatusReportFrequencyMs" | "evictionHard" | "featureGates" | "failSwapOn" | "failCgroupV1"
> = {
  registerNode: true,
  registerWithTaints: [],
  nodeLabels: {},
  providerID: "",
  externalCloudProvider: false,
  nodeStatusUpdateFrequencyMs: 10_000,
  nodeLeaseDurationSeconds: 40,
  maxPods: undefined,
  podsPerCore: 0,
  podPidsLimit: -1,
  nodeStatusMaxImages: 50,
  ...imageDefaults,
  enableControllerAttachDetach: true,
  localStorageCapacityIsolation: true,
  systemReserved: {},
  kubeReserved: {},
  port: 10_250,
  enableDebuggingHandlers: true,
  enableSystemLogHandler: true,
  maxContainerRestartPeriodMs: 300_000,
  containerLogMaxSize: "10Mi",
  containerLogMonitorIntervalMs: 10_000,
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
  staticPodURL: "",
  staticPodURLHeader: {},
  httpCheckFrequencyMs: 20_000,
  syncFrequencyMs: 60_000,
  lowDiskSpaceThresholdMB: 256,
  outOfDiskTransitionFrequencyMs: 300_000
}

/**
 * Fills in the defaults of the release. An absent report frequency becomes equal to a given update frequency. A given
 * `evictionHard` replaces the whole default.
 */
export const kubeletConfig = (
  given: Partial<KubeletConfig> = {},
  release: Release = defaultRelease
): KubeletConfig => ({
  ...defaults,
  failSwapOn: release.swap.failSwapOn,
  failCgroupV1: release.failCgroupV1,
  evictionHard: defaultEvictionHard(release),
  featureGates: featureGatesOf(release),
  nodeStatusReportFrequencyMs: given.nodeStatusUpdateFrequencyMs ?? release.nodeStatusReportFrequencySeconds * 1000,
  ...given
})

/** Settings that only exist as flags. */
export type NodeFlags = Pick<
  KubeletConfig,
  "nodeLabels" | "nodeIPs" | "externalCloudProvider" | "lowDiskSpaceThresholdMB" | "outOfDiskTransitionFrequencyMs"
>

const parseList = (amounts: Readonly<Record<string, string>> = {}): ResourceList =>
  Result.getOrElse(parseReservation(amounts), (): ResourceList => ({}))

/**
 * Returns the reservations. Reserved CPU ids replace reserved amounts of cpu. Upstream: cmd/kubelet/app/server.go, run.
 */
const reservationsOf = ({ kubeReserved, reservedSystemCPUs = "", systemReserved }: KubeletConfiguration) => {
  const cpus = Result.getOrElse(countCPUs(reservedSystemCPUs), () => 0)
  const kube = parseList(kubeReserved)
  const system = parseList(systemReserved)
  if (cpus === 0) return { kubeReserved: kube, systemReserved: system }
  const { cpu: _, ...others } = kube
  return { kubeReserved: others, systemReserved: { ...system, cpu: String(cpus) } }
}

const durationMs = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : parseDuration(text)

/** The settings of graceful node shutdown. */
export type ShutdownFields = Pick<
  KubeletConfig,
  "shutdownGracePeriodMs" | "shutdownGracePeriodCriticalPodsMs" | "shutdownGracePeriodByPodPriority" | "featureGates"
>

/** Returns the settings of graceful node shutdown of a configuration. */
export const shutdownFieldsOf = (given: KubeletConfiguration, featureGates: FeatureGates): ShutdownFields => ({
  featureGates,
  shutdownGracePeriodMs: durationMs(given.shutdownGracePeriod, 0),
  shutdownGracePeriodCriticalPodsMs: durationMs(given.shutdownGracePeriodCriticalPods, 0),
  shutdownGracePeriodByPodPriority: (given.shutdownGracePeriodByPodPriority ?? []).map(
    ({ priority = 0, shutdownGracePeriodSeconds = 0 }) => ({ priority, shutdownGracePeriodSeconds })
  )
})

/** Returns the settings of a valid configuration in which defaults have been filled in. */
export const kubeletConfigOf = (
  given: KubeletConfiguration,
  featureGates: FeatureGates,
  flags: NodeFlags
): KubeletConfig => {
  return {
    ...flags,
    ...reservationsOf(given),
    ...shutdownFieldsOf(given, featureGates),
    registerNode: given.registerNode ?? defaults.registerNode,
    registerWithTaints: (given.registerWithTaints ?? []).map(({ effect = "", key = "", value }) =>
      value === undefined ? { key, effect } : { key, value, effect }
    ),
    providerID: given.providerID ?? "",
    nodeStatusUpdateFrequencyMs: durationMs(given.nodeStatusUpdateFrequency, defaults.nodeStatusUpdateFrequencyMs),
    nodeStatusReportFrequencyMs: durationMs(given.nodeStatusReportFrequency, 300_000),
    nodeLeaseDurationSeconds: given.nodeLeaseDurationSeconds ?? defaults.nodeLeaseDurationSeconds,
    maxPods: given.maxPods === 0 ? undefined : given.maxPods,
    podsPerCore: given.podsPerCore ?? defaults.podsPerCore,
    podPidsLimit: given.podPidsLimit ?? defaults.podPidsLimit,
    nodeStatusMaxImages: given.nodeStatusMaxImages ?? defaults.nodeStatusMaxImages,
    ...imageSettingsOf(given),
    enableControllerAttachDetach: given.enableControllerAttachDetach ?? defaults.enableControllerAttachDetach,
    localStorageCapacityIsolation: given.localStorageCapacityIsolation ?? defaults.localStorageCapacityIsolation,
    port: given.port ?? defaults.port,
    enableDebuggingHandlers: given.enableDebuggingHandlers ?? defaults.enableDebuggingHandlers,
    enableSystemLogHandler: given.enableSystemLogHandler ?? defaults.enableSystemLogHandler,
    maxContainerRestartPeriodMs: durationMs(
      given.crashLoopBackOff?.maxContainerRestartPeriod,
      defaults.maxContainerRestartPeriodMs
    ),
    containerLogMaxSize: given.containerLogMaxSize ?? defaults.containerLogMaxSize,
    containerLogMonitorIntervalMs: durationMs(
      given.containerLogMonitorInterval,
      defaults.containerLogMonitorIntervalMs
    ),
    evictionHard: given.evictionHard ?? {},
    evictionSoft: given.evictionSoft ?? {},
    evictionSoftGracePeriodMs: Object.fromEntries(
      Object.entries(given.evictionSoftGracePeriod ?? {}).map(([signal, text]) => [signal, parseDuration(text)])
    ),
    evictionMinimumReclaim: given.evictionMinimumReclaim ?? {},
    evictionPressureTransitionPeriodMs: durationMs(
      given.evictionPressureTransitionPeriod,
      defaults.evictionPressureTransitionPeriodMs
    ),
    evictionMaxPodGracePeriod: given.evictionMaxPodGracePeriod ?? 0,
    enforceNodeAllocatable: given.enforceNodeAllocatable ?? defaults.enforceNodeAllocatable,
    allowedUnsafeSysctls: given.allowedUnsafeSysctls ?? [],
    failSwapOn: given.failSwapOn ?? true,
    swapBehavior: given.memorySwap?.swapBehavior ?? "",
    failCgroupV1: given.failCgroupV1 ?? true,
    topologyManagerPolicy: given.topologyManagerPolicy ?? defaults.topologyManagerPolicy,
    topologyManagerScope: given.topologyManagerScope ?? defaults.topologyManagerScope,
    topologyManagerPolicyOptions: given.topologyManagerPolicyOptions ?? {},
    // A manager whose gate is off is not created, whatever its policy.
    // Upstream: pkg/kubelet/cm/container_manager_linux.go.
    cpuManagerPolicy: featureGates.CPUManager ? (given.cpuManagerPolicy ?? defaults.cpuManagerPolicy) : "none",
    cpuManagerPolicyOptions: given.cpuManagerPolicyOptions ?? {},
    cpuManagerReconcilePeriodMs: durationMs(given.cpuManagerReconcilePeriod, defaults.cpuManagerReconcilePeriodMs),
    reservedSystemCPUs: given.reservedSystemCPUs ?? "",
    memoryManagerPolicy: featureGates.MemoryManager
      ? (given.memoryManagerPolicy ?? defaults.memoryManagerPolicy)
      : "None",
    reservedMemory: (given.reservedMemory ?? []).map(({ limits = {}, numaNode = 0 }) => ({ numaNode, limits })),
    staticPodPath: given.staticPodPath ?? "",
    fileCheckFrequencyMs: durationMs(given.fileCheckFrequency, defaults.fileCheckFrequencyMs),
    staticPodURL: given.staticPodURL ?? "",
    staticPodURLHeader: given.staticPodURLHeader ?? {},
    httpCheckFrequencyMs: durationMs(given.httpCheckFrequency, defaults.httpCheckFrequencyMs),
    syncFrequencyMs: durationMs(given.syncFrequency, defaults.syncFrequencyMs)
  }
}
