import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Release } from "./Release.ts"

export type GateStage = "alpha" | "beta" | "ga" | "deprecated"

export interface GateState {
  readonly stage: GateStage
  readonly enabled: boolean
  /** Whether the gate cannot be set to another value. */
  readonly locked: boolean
}

/** The state of a gate from this minor release (of 1.x) until the next entry. */
type Step = readonly [minor: number, stage: GateStage, enabled: boolean, locked?: "locked"]

/** The gates that Rollcall's rules depend on. Upstream: pkg/features/kube_features.go. */
const gateHistories = {
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
} as const satisfies Readonly<Record<string, ReadonlyArray<Step>>>

export type FeatureGate = keyof typeof gateHistories
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>

const gates = Object.entries(gateHistories) as ReadonlyArray<[FeatureGate, ReadonlyArray<Step>]>

/** Gates that require another gate. */
const requiredGates: Readonly<Partial<Record<FeatureGate, FeatureGate>>> = {
  GracefulNodeShutdownBasedOnPodPriority: "GracefulNodeShutdown",
  WindowsGracefulNodeShutdown: "GracefulNodeShutdown",
  PodLevelResourceManagers: "PodLevelResources",
  ResourceHealthStatusMessage: "ResourceHealthStatus"
}

/** Returns the state of a gate in a release; undefined when the release does not have it. */
export const gateState = (release: Release, gate: FeatureGate): GateState | undefined => {
  const minor = Number(release.name.slice(release.name.indexOf(".") + 1))
  const steps: ReadonlyArray<Step> = gateHistories[gate]
  const step = steps.findLast(([since]) => since <= minor)
  return step === undefined ? undefined : { stage: step[1], enabled: step[2], locked: step[3] === "locked" }
}

/** The release rejects a --feature-gates setting; the message is upstream's. */
export class FeatureGateError extends Schema.TaggedError<FeatureGateError>()("FeatureGateError", {
  gate: Schema.String,
  message: Schema.String
}) {}

/** Returns the default gates of a release; a gate that the release does not have is off. */
export const featureGatesOf = (release: Release): FeatureGates => resolveAll(release, {})

/** The setting that changes all gates of a stage. */
const stageSettings: Readonly<Partial<Record<GateStage, string>>> = { alpha: "AllAlpha", beta: "AllBeta" }

const resolveAll = (release: Release, settings: Readonly<Record<string, boolean>>): FeatureGates =>
  Object.fromEntries(
    gates.map(([gate]) => {
      const state = gateState(release, gate)
      if (state === undefined) return [gate, false]
      const all = stageSettings[state.stage]
      return [gate, settings[gate] ?? (all === undefined ? undefined : settings[all]) ?? state.enabled]
    })
  ) as Record<FeatureGate, boolean>

/**
 * Returns the gates of a release with the settings of --feature-gates and configuration files, `AllAlpha` and `AllBeta`
 * included. Upstream: staging/src/k8s.io/component-base/featuregate.
 */
export const resolveFeatureGates = (
  release: Release,
  settings: Readonly<Record<string, boolean>>
): Result.Result<FeatureGates, FeatureGateError> => {
  for (const [gate, enabled] of Object.entries(settings)) {
    if (gate === "AllAlpha" || gate === "AllBeta") continue
    const fail = (message: string) => Result.fail(new FeatureGateError({ gate, message }))
    const state = isFeatureGate(gate) ? gateState(release, gate) : undefined
    if (state === undefined) return fail(`unrecognized feature gate: ${gate}`)
    if (state.locked && enabled !== state.enabled) {
      return fail(`cannot set feature gate ${gate} to ${enabled}, feature is locked to ${state.enabled}`)
    }
  }
  const values = resolveAll(release, settings)
  for (const [gate] of gates) {
    const required = requiredGates[gate]
    if (required !== undefined && values[gate] && !values[required]) {
      return Result.fail(
        new FeatureGateError({
          gate,
          message: `${gate} is enabled, but depends on features that are disabled: [${required}]`
        })
      )
    }
  }
  return Result.succeed(values)
}

export const isFeatureGate = (name: string): name is FeatureGate => Object.hasOwn(gateHistories, name)
