import type * as Schema from "effect/Schema"
import {
  boolean,
  duration,
  durationOrNanoseconds,
  int32,
  int64,
  list,
  map,
  number,
  object,
  quantity,
  text,
  type WithoutNulls
} from "./fieldTypes.ts"

const texts = list(text)
const textMap = map(text)

/**
 * The fields of KubeletConfiguration `kubelet.config.k8s.io/v1beta1` that have an effect here. Upstream:
 * staging/src/k8s.io/kubelet/config/v1beta1/types.go.
 */
export const honouredFields = {
  apiVersion: text,
  kind: text,
  // Registration and status
  registerNode: boolean,
  registerWithTaints: list(object({ key: text, value: text, effect: text, timeAdded: text })),
  providerID: text,
  nodeStatusUpdateFrequency: duration,
  nodeStatusReportFrequency: duration,
  nodeLeaseDurationSeconds: int32,
  nodeStatusMaxImages: int32,
  enableControllerAttachDetach: boolean,
  port: int32,
  healthzPort: int32,
  healthzBindAddress: text,
  featureGates: map(boolean),
  // Capacity and reservations
  maxPods: int32,
  podsPerCore: int32,
  podPidsLimit: int64,
  systemReserved: textMap,
  kubeReserved: textMap,
  reservedSystemCPUs: text,
  enforceNodeAllocatable: texts,
  localStorageCapacityIsolation: boolean,
  // Pods
  staticPodPath: text,
  fileCheckFrequency: duration,
  staticPodURL: text,
  staticPodURLHeader: map(texts),
  httpCheckFrequency: duration,
  syncFrequency: duration,
  allowedUnsafeSysctls: texts,
  crashLoopBackOff: object({ maxContainerRestartPeriod: duration }),
  containerLogMaxSize: text,
  containerLogMonitorInterval: duration,
  serializeImagePulls: boolean,
  maxParallelImagePulls: int32,
  registryPullQPS: int32,
  registryBurst: int32,
  imagePullCredentialsVerificationPolicy: text,
  preloadedImagesVerificationAllowlist: texts,
  imageGCHighThresholdPercent: int32,
  imageGCLowThresholdPercent: int32,
  imageMinimumGCAge: duration,
  imageMaximumGCAge: duration,
  // Node-pressure eviction
  evictionHard: textMap,
  evictionSoft: textMap,
  evictionSoftGracePeriod: textMap,
  evictionPressureTransitionPeriod: duration,
  evictionMaxPodGracePeriod: int32,
  evictionMinimumReclaim: textMap,
  mergeDefaultEvictionSettings: boolean,
  // Swap and cgroups
  failSwapOn: boolean,
  memorySwap: object({ swapBehavior: text }),
  failCgroupV1: boolean,
  // Graceful shutdown
  shutdownGracePeriod: duration,
  shutdownGracePeriodCriticalPods: duration,
  shutdownGracePeriodByPodPriority: list(object({ priority: int32, shutdownGracePeriodSeconds: int64 })),
  // Certificates
  rotateCertificates: boolean,
  serverTLSBootstrap: boolean,
  // Its own server, if it has a CA of clients
  enableServer: boolean,
  readOnlyPort: int32,
  enableDebuggingHandlers: boolean,
  enableSystemLogHandler: boolean,
  address: text,
  tlsCertFile: text,
  tlsPrivateKeyFile: text,
  authentication: object({
    x509: object({ clientCAFile: text }),
    webhook: object({ enabled: boolean, cacheTTL: duration }),
    anonymous: object({ enabled: boolean })
  }),
  authorization: object({
    mode: text,
    webhook: object({ cacheAuthorizedTTL: duration, cacheUnauthorizedTTL: duration })
  }),
  // Resource managers
  topologyManagerPolicy: text,
  topologyManagerScope: text,
  topologyManagerPolicyOptions: textMap,
  cpuManagerPolicy: text,
  cpuManagerPolicyOptions: textMap,
  cpuManagerReconcilePeriod: duration,
  memoryManagerPolicy: text,
  reservedMemory: list(object({ numaNode: int32, limits: map(quantity) }))
}

/** The rest: decoded and validated as upstream does, and then named in a warning, for nothing here heeds them. */
export const unsupportedFields = {
  // The kubelet's own server, and who may speak to it
  tlsCipherSuites: texts,
  tlsCurvePreferences: list(int32),
  tlsMinVersion: text,
  enableContentionProfiling: boolean,
  enableProfilingHandler: boolean,
  enableDebugFlagsHandler: boolean,
  enableSystemLogQuery: boolean,
  streamingConnectionIdleTimeout: duration,
  // Its client
  contentType: text,
  kubeAPIQPS: int32,
  kubeAPIBurst: int32,
  eventRecordQPS: int32,
  eventBurst: int32,
  configMapAndSecretChangeDetectionStrategy: text,
  // Container runtime, images, logs
  containerRuntimeEndpoint: text,
  imageServiceEndpoint: text,
  runtimeRequestTimeout: duration,
  podLogsDir: text,
  containerLogMaxFiles: int32,
  containerLogMaxWorkers: int32,
  seccompDefault: boolean,
  userNamespaces: object({ idsPerPod: int64 }),
  // cgroups and the kernel
  kubeletCgroups: text,
  systemCgroups: text,
  cgroupRoot: text,
  cgroupsPerQOS: boolean,
  cgroupDriver: text,
  systemReservedCgroup: text,
  kubeReservedCgroup: text,
  singleProcessOOMKill: boolean,
  qosReserved: textMap,
  cpuCFSQuota: boolean,
  cpuCFSQuotaPeriod: duration,
  maxOpenFiles: int64,
  oomScoreAdj: int32,
  protectKernelDefaults: boolean,
  kernelMemcgNotification: boolean,
  memoryThrottlingFactor: number,
  memoryReservationPolicy: text,
  draManagerReconcilePeriod: duration,
  podHousekeepingPeriod: duration,
  // Network, volumes
  clusterDomain: text,
  clusterDNS: texts,
  resolvConf: text,
  hairpinMode: text,
  podCIDR: text,
  makeIPTablesUtilChains: boolean,
  iptablesMasqueradeBit: int32,
  iptablesDropBit: int32,
  volumePluginDir: text,
  volumeStatsAggPeriod: duration,
  // Logs and traces
  logging: object({
    format: text,
    flushFrequency: durationOrNanoseconds,
    verbosity: int64,
    vmodule: list(object({ filePattern: text, verbosity: int64 })),
    options: object({
      text: object({ splitStream: boolean, infoBufferSize: quantity }),
      json: object({ splitStream: boolean, infoBufferSize: quantity })
    })
  }),
  tracing: object({ endpoint: text, samplingRatePerMillion: int32 }),
  showHiddenMetricsForVersion: text,
  runOnce: boolean
}

/** The schema of a KubeletConfiguration in a file: every field may be omitted, or be null. */
export const KubeletConfigurationFile = object({ ...honouredFields, ...unsupportedFields })

/** A KubeletConfiguration without nulls: every field may be omitted. */
export interface KubeletConfiguration extends WithoutNulls<Schema.Schema.Type<typeof KubeletConfigurationFile>> {}
