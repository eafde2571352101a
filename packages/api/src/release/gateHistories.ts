export type GateStage = "alpha" | "beta" | "ga" | "deprecated"

/** The state of a gate from this minor release (of 1.x) until the next entry. */
export type GateStep = readonly [minor: number, stage: GateStage, enabled: boolean, locked?: "locked"]

/** The gates that Rollcall's rules depend on. Upstream: pkg/features/kube_features.go. */
export const gateHistories = {
  AuthorizeNodeWithSelectors: [
    [31, "alpha", false],
    [32, "beta", true],
    [34, "ga", true, "locked"]
  ],
  ConstrainedImpersonation: [
    [35, "alpha", false],
    [36, "beta", true]
  ],
  ContainerRestartRules: [
    [34, "alpha", false],
    [35, "beta", true]
  ],
  ControllerManagerReleaseLeaderElectionLockOnExit: [[36, "alpha", false]],
  CoordinatedLeaderElection: [
    [31, "alpha", false],
    [33, "beta", false]
  ],
  CPUManager: [
    [8, "alpha", false],
    [10, "beta", true],
    [26, "ga", true, "locked"]
  ],
  CPUManagerPolicyAlphaOptions: [[23, "alpha", false]],
  CPUManagerPolicyBetaOptions: [[23, "beta", true]],
  CPUManagerPolicyOptions: [
    [22, "alpha", false],
    [23, "beta", true],
    [33, "ga", true, "locked"]
  ],
  DisableNodeKubeProxyVersion: [
    [29, "alpha", false],
    [31, "deprecated", false],
    [33, "deprecated", true],
    [36, "deprecated", true, "locked"]
  ],
  DRADeviceTaints: [
    [33, "alpha", false],
    [36, "beta", true]
  ],
  DRAExtendedResource: [
    [34, "alpha", false],
    [36, "beta", true]
  ],
  DynamicResourceAllocation: [
    [26, "alpha", false],
    [32, "beta", false],
    [34, "ga", true],
    [35, "ga", true, "locked"]
  ],
  EnvFiles: [
    [34, "alpha", false],
    [35, "beta", true]
  ],
  ExtendWebSocketsToKubelet: [[36, "beta", true]],
  GracefulNodeShutdown: [
    [20, "alpha", false],
    [21, "beta", true]
  ],
  GracefulNodeShutdownBasedOnPodPriority: [
    [23, "alpha", false],
    [24, "beta", true]
  ],
  HPAScaleToZero: [[16, "alpha", false]],
  ResourceHealthStatus: [
    [31, "alpha", false],
    [36, "beta", true]
  ],
  ResourceHealthStatusMessage: [[36, "beta", true]],
  ImageMaximumGCAge: [
    [29, "alpha", false],
    [30, "beta", true],
    [35, "ga", true, "locked"]
  ],
  InPlacePodLevelResourcesVerticalScaling: [
    [35, "alpha", false],
    [36, "beta", true]
  ],
  InPlacePodVerticalScaling: [
    [27, "alpha", false],
    [33, "beta", true],
    [35, "ga", true, "locked"]
  ],
  InPlacePodVerticalScalingInitContainers: [[36, "beta", true]],
  KubeletCrashLoopBackOffMax: [
    [32, "alpha", false],
    [35, "beta", true]
  ],
  KubeletEnsureSecretPulledImages: [
    [33, "alpha", false],
    [35, "beta", true]
  ],
  KubeletRegistrationGetOnExistsOnly: [[32, "deprecated", false]],
  KubeletSeparateDiskGC: [
    [29, "alpha", false],
    [31, "beta", true]
  ],
  KubeletServiceAccountTokenForCredentialProviders: [
    [33, "alpha", false],
    [34, "beta", true]
  ],
  MaxUnavailableStatefulSet: [
    [24, "alpha", false],
    [35, "beta", false]
  ],
  MemoryManager: [
    [21, "alpha", false],
    [22, "beta", true],
    [32, "ga", true, "locked"]
  ],
  MemoryQoS: [[22, "alpha", false]],
  MutableSchedulingDirectivesForSuspendedJobs: [
    [35, "alpha", false],
    [36, "beta", true]
  ],
  NodeDeclaredFeatures: [
    [35, "alpha", false],
    [36, "beta", true]
  ],
  NodeOutOfServiceVolumeDetach: [
    [24, "alpha", false],
    [26, "beta", true],
    [28, "ga", true, "locked"]
  ],
  NodeSwap: [
    [22, "alpha", false],
    [28, "beta", false],
    [30, "beta", true],
    [34, "ga", true, "locked"]
  ],
  NominatedNodeNameForExpectation: [
    [34, "alpha", false],
    [35, "beta", true]
  ],
  PodDisruptionConditions: [
    [25, "alpha", false],
    [26, "beta", true],
    [31, "ga", true, "locked"]
  ],
  PodLevelResourceManagers: [[36, "alpha", false]],
  PodLevelResources: [
    [32, "alpha", false],
    [34, "beta", true]
  ],
  PodObservedGenerationTracking: [
    [33, "alpha", false],
    [34, "beta", true],
    [35, "ga", true, "locked"]
  ],
  PodReadyToStartContainersCondition: [
    [28, "alpha", false],
    [29, "beta", true]
  ],
  RecursiveReadOnlyMounts: [
    [30, "alpha", false],
    [31, "beta", true],
    [33, "ga", true, "locked"]
  ],
  ReduceDefaultCrashLoopBackOffDecay: [[33, "alpha", false]],
  RestartAllContainersOnContainerExits: [
    [35, "alpha", false],
    [36, "beta", true]
  ],
  SeparateTaintEvictionController: [
    [29, "beta", true],
    [34, "ga", true, "locked"]
  ],
  StaleControllerConsistencyDaemonSet: [[36, "beta", true]],
  StaleControllerConsistencyJob: [[36, "beta", true]],
  StaleControllerConsistencyReplicaSet: [[36, "beta", true]],
  StaleControllerConsistencyStatefulSet: [[36, "beta", true]],
  SupplementalGroupsPolicy: [
    [31, "alpha", false],
    [33, "beta", true],
    [35, "ga", true, "locked"]
  ],
  TaintTolerationComparisonOperators: [[35, "alpha", false]],
  TopologyManager: [
    [16, "alpha", false],
    [18, "beta", true],
    [27, "ga", true, "locked"]
  ],
  TopologyManagerPolicyAlphaOptions: [[26, "alpha", false]],
  TopologyManagerPolicyBetaOptions: [
    [26, "beta", false],
    [28, "beta", true]
  ],
  TopologyManagerPolicyOptions: [
    [26, "alpha", false],
    [28, "beta", true],
    [32, "ga", true, "locked"]
  ],
  UserNamespacesSupport: [
    [25, "alpha", false],
    [30, "beta", false],
    [33, "beta", true],
    [36, "ga", true, "locked"]
  ],
  WatchList: [
    [27, "alpha", false],
    [32, "beta", true]
  ],
  WindowsGracefulNodeShutdown: [
    [32, "alpha", false],
    [34, "beta", true]
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<GateStep>>>
