import { parseDuration, type Release } from "@rollcall/api"
import { evictionHardDefaults } from "../eviction/Signals.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"

const linuxThresholds = Object.entries(evictionHardDefaults("linux"))

/**
 * Returns the release's default hard eviction thresholds by signal. They are those of Linux, because kubelets here run
 * on Linux.
 */
export const defaultEvictionHard = ({ evictionHardSignals }: Release): Readonly<Record<string, string>> =>
  Object.fromEntries(linuxThresholds.filter(([signal]) => evictionHardSignals.includes(signal)))

/** Defaults of fields for which Go cannot distinguish "not given" from zero: the default replaces both. */
const defaultsForZero = {
  syncFrequency: "1m0s",
  fileCheckFrequency: "20s",
  httpCheckFrequency: "20s",
  address: "0.0.0.0",
  port: 10_250,
  healthzBindAddress: "127.0.0.1",
  registryBurst: 10,
  eventBurst: 100,
  kubeAPIBurst: 100,
  streamingConnectionIdleTimeout: "4h0m0s",
  nodeStatusUpdateFrequency: "10s",
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: "2m0s",
  volumeStatsAggPeriod: "1m0s",
  cgroupDriver: "cgroupfs",
  cpuManagerPolicy: "none",
  cpuManagerReconcilePeriod: "10s",
  memoryManagerPolicy: "None",
  topologyManagerPolicy: "none",
  topologyManagerScope: "container",
  runtimeRequestTimeout: "2m0s",
  hairpinMode: "promiscuous-bridge",
  maxOpenFiles: 1_000_000,
  contentType: "application/vnd.kubernetes.protobuf",
  evictionPressureTransitionPeriod: "5m0s",
  containerLogMaxSize: "10Mi",
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  podLogsDir: "/var/log/pods"
} as const satisfies KubeletConfiguration

/** Defaults of fields that may be set to zero: the default replaces only an absent field. */
const defaultsForAbsent = {
  enableServer: true,
  enableDebuggingHandlers: true,
  registryPullQPS: 5,
  eventRecordQPS: 50,
  healthzPort: 10_248,
  oomScoreAdj: -999,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cgroupsPerQOS: true,
  podPidsLimit: -1,
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: "100ms",
  nodeStatusMaxImages: 50,
  kubeAPIQPS: 50,
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: "10s",
  enforceNodeAllocatable: ["pods"],
  enableSystemLogHandler: true,
  memoryThrottlingFactor: 0.9,
  registerNode: true,
  localStorageCapacityIsolation: true
} as const satisfies KubeletConfiguration

const isZero = (value: unknown): boolean =>
  value === undefined || value === 0 || value === "" || (typeof value === "string" && parseDuration(value) === 0)

const seconds = (count: number): string => `${count}s`

/**
 * Adds the release's defaults to a configuration. maxPods has no default here, because a modelled machine may define
 * it; the defaults of evictionHard are added by `withDefaultThresholds`. Upstream:
 * pkg/kubelet/apis/config/v1beta1/defaults.go.
 */
export const withDefaults = (
  given: KubeletConfiguration,
  release: Release,
  gates: GateSettings
): KubeletConfiguration => {
  const nonZero = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !(Object.hasOwn(defaultsForZero, name) && isZero(value)))
  ) as KubeletConfiguration
  const { nodeStatusReportFrequency, nodeStatusUpdateFrequency } = nonZero
  const reportFrequency = isZero(nodeStatusReportFrequency)
    ? (nodeStatusUpdateFrequency ?? seconds(release.nodeStatusReportFrequencySeconds))
    : nodeStatusReportFrequency
  return {
    ...defaultsForZero,
    ...defaultsForAbsent,
    failSwapOn: release.swap.failSwapOn,
    failCgroupV1: release.failCgroupV1,
    serializeImagePulls: (nonZero.maxParallelImagePulls ?? 1) < 2,
    ...nonZero,
    ...(gates.isOn("KubeletCrashLoopBackOffMax")
      ? { crashLoopBackOff: { maxContainerRestartPeriod: "5m0s", ...nonZero.crashLoopBackOff } }
      : {}),
    ...(gates.isOn("KubeletEnsureSecretPulledImages") && isZero(nonZero.imagePullCredentialsVerificationPolicy)
      ? { imagePullCredentialsVerificationPolicy: "NeverVerifyPreloadedImages" }
      : {}),
    ...(reportFrequency === undefined ? {} : { nodeStatusReportFrequency: reportFrequency })
  }
}

/** Adds the default hard thresholds to a configuration that has none, or that sets mergeDefaultEvictionSettings. */
export const withDefaultThresholds = (config: KubeletConfiguration, release: Release): KubeletConfiguration => {
  const { evictionHard, mergeDefaultEvictionSettings } = config
  return evictionHard !== undefined && mergeDefaultEvictionSettings !== true
    ? config
    : { ...config, evictionHard: { ...defaultEvictionHard(release), ...evictionHard } }
}
