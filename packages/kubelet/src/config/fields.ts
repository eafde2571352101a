import type { FieldType, ValueOf } from "./FieldType.ts"

const texts = { list: "text" } as const
const textMap = { map: "text" } as const

/**
 * The fields of KubeletConfiguration `kubelet.config.k8s.io/v1beta1` that the node subsystem heeds.
 * Upstream: staging/src/k8s.io/kubelet/config/v1beta1/types.go.
 */
export const honouredFields = {
  apiVersion: "text",
  kind: "text",
  // Registration and status
  registerNode: "boolean",
  registerWithTaints: {
    list: { fields: { key: "text", value: "text", effect: "text", timeAdded: "text" } }
  },
  providerID: "text",
  nodeStatusUpdateFrequency: "duration",
  nodeStatusReportFrequency: "duration",
  nodeLeaseDurationSeconds: "int32",
  nodeStatusMaxImages: "int32",
  enableControllerAttachDetach: "boolean",
  port: "int32",
  healthzPort: "int32",
  healthzBindAddress: "text",
  featureGates: { map: "boolean" },
  // Capacity and what is kept back of it
  maxPods: "int32",
  podsPerCore: "int32",
  systemReserved: textMap,
  kubeReserved: textMap,
  reservedSystemCPUs: "text",
  enforceNodeAllocatable: texts,
  localStorageCapacityIsolation: "boolean",
  // Pods
  staticPodPath: "text",
  fileCheckFrequency: "duration",
  staticPodURL: "text",
  staticPodURLHeader: { map: texts },
  httpCheckFrequency: "duration",
  syncFrequency: "duration",
  allowedUnsafeSysctls: texts,
  crashLoopBackOff: { fields: { maxContainerRestartPeriod: "duration" } },
  // Node-pressure eviction
  evictionHard: textMap,
  evictionSoft: textMap,
  evictionSoftGracePeriod: textMap,
  evictionPressureTransitionPeriod: "duration",
  evictionMaxPodGracePeriod: "int32",
  evictionMinimumReclaim: textMap,
  mergeDefaultEvictionSettings: "boolean",
  // Swap and cgroups
  failSwapOn: "boolean",
  memorySwap: { fields: { swapBehavior: "text" } },
  failCgroupV1: "boolean",
  // Graceful shutdown
  shutdownGracePeriod: "duration",
  shutdownGracePeriodCriticalPods: "duration",
  shutdownGracePeriodByPodPriority: { list: { fields: { priority: "int32", shutdownGracePeriodSeconds: "int64" } } },
  // Resource managers
  topologyManagerPolicy: "text",
  topologyManagerScope: "text",
  topologyManagerPolicyOptions: textMap,
  cpuManagerPolicy: "text",
  cpuManagerPolicyOptions: textMap,
  cpuManagerReconcilePeriod: "duration",
  memoryManagerPolicy: "text",
  reservedMemory: { list: { fields: { numaNode: "int32", limits: { map: "quantity" } } } }
} as const satisfies Readonly<Record<string, FieldType>>

/** The rest: decoded and validated as upstream does, and then named in a warning, for nothing here heeds them. */
export const otherFields = {
  // The kubelet's own server, and who may speak to it
  enableServer: "boolean",
  address: "text",
  readOnlyPort: "int32",
  tlsCertFile: "text",
  tlsPrivateKeyFile: "text",
  tlsCipherSuites: texts,
  tlsCurvePreferences: { list: "int32" },
  tlsMinVersion: "text",
  rotateCertificates: "boolean",
  serverTLSBootstrap: "boolean",
  authentication: {
    fields: {
      x509: { fields: { clientCAFile: "text" } },
      webhook: { fields: { enabled: "boolean", cacheTTL: "duration" } },
      anonymous: { fields: { enabled: "boolean" } }
    }
  },
  authorization: {
    fields: {
      mode: "text",
      webhook: { fields: { cacheAuthorizedTTL: "duration", cacheUnauthorizedTTL: "duration" } }
    }
  },
  enableDebuggingHandlers: "boolean",
  enableContentionProfiling: "boolean",
  enableProfilingHandler: "boolean",
  enableDebugFlagsHandler: "boolean",
  enableSystemLogHandler: "boolean",
  enableSystemLogQuery: "boolean",
  streamingConnectionIdleTimeout: "duration",
  // Its client
  contentType: "text",
  kubeAPIQPS: "int32",
  kubeAPIBurst: "int32",
  eventRecordQPS: "int32",
  eventBurst: "int32",
  configMapAndSecretChangeDetectionStrategy: "text",
  // Container runtime, images, logs
  containerRuntimeEndpoint: "text",
  imageServiceEndpoint: "text",
  runtimeRequestTimeout: "duration",
  registryPullQPS: "int32",
  registryBurst: "int32",
  serializeImagePulls: "boolean",
  maxParallelImagePulls: "int32",
  imagePullCredentialsVerificationPolicy: "text",
  preloadedImagesVerificationAllowlist: texts,
  imageMinimumGCAge: "duration",
  imageMaximumGCAge: "duration",
  imageGCHighThresholdPercent: "int32",
  imageGCLowThresholdPercent: "int32",
  podLogsDir: "text",
  containerLogMaxSize: "text",
  containerLogMaxFiles: "int32",
  containerLogMaxWorkers: "int32",
  containerLogMonitorInterval: "duration",
  seccompDefault: "boolean",
  userNamespaces: { fields: { idsPerPod: "int64" } },
  // cgroups and the kernel
  kubeletCgroups: "text",
  systemCgroups: "text",
  cgroupRoot: "text",
  cgroupsPerQOS: "boolean",
  cgroupDriver: "text",
  systemReservedCgroup: "text",
  kubeReservedCgroup: "text",
  singleProcessOOMKill: "boolean",
  qosReserved: textMap,
  podPidsLimit: "int64",
  cpuCFSQuota: "boolean",
  cpuCFSQuotaPeriod: "duration",
  maxOpenFiles: "int64",
  oomScoreAdj: "int32",
  protectKernelDefaults: "boolean",
  kernelMemcgNotification: "boolean",
  memoryThrottlingFactor: "number",
  memoryReservationPolicy: "text",
  draManagerReconcilePeriod: "duration",
  podHousekeepingPeriod: "duration",
  // Network, volumes
  clusterDomain: "text",
  clusterDNS: texts,
  resolvConf: "text",
  hairpinMode: "text",
  podCIDR: "text",
  makeIPTablesUtilChains: "boolean",
  iptablesMasqueradeBit: "int32",
  iptablesDropBit: "int32",
  volumePluginDir: "text",
  volumeStatsAggPeriod: "duration",
  // What it says of itself
  logging: {
    fields: {
      format: "text",
      flushFrequency: "durationOrNanoseconds",
      verbosity: "int64",
      vmodule: { list: { fields: { filePattern: "text", verbosity: "int64" } } },
      options: {
        fields: {
          text: { fields: { splitStream: "boolean", infoBufferSize: "quantity" } },
          json: { fields: { splitStream: "boolean", infoBufferSize: "quantity" } }
        }
      }
    }
  },
  tracing: { fields: { endpoint: "text", samplingRatePerMillion: "int32" } },
  showHiddenMetricsForVersion: "text",
  runOnce: "boolean"
} as const satisfies Readonly<Record<string, FieldType>>

export const kubeletConfigurationFields = { ...honouredFields, ...otherFields }

/** KubeletConfiguration as files write it: every field may be left out. */
export type KubeletConfiguration = ValueOf<{ readonly fields: typeof kubeletConfigurationFields }>
