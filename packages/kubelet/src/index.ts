// The kubelet.

export type { FilesOfClaim, Kubelet, KubeletOptions, LocalPod, ModelledKubelet } from "./Kubelet.ts"
export { type KubeletConfig, kubeletConfig, type ShutdownFields } from "./KubeletConfig.ts"
export type { KubeletHealth } from "./KubeletHealth.ts"
export { type KubeletModel, modelRecorded, modelUpstream } from "./KubeletModel.ts"
export type { MachineEvents } from "./MachineEvents.ts"
export { makeKubelet, makeModelledKubelet } from "./makeKubelet.ts"

// How it is configured: files, flags and what they resolve to.

export { type ConfigLayer, type DecodedLayer, type DecodeOptions, decodeKubeletConfiguration } from "./config/decode.ts"
export type { KubeletConfiguration } from "./config/fields.ts"
export { type KubeletFlagValues, type ReadFlags, readKubeletFlags, removedFlagText } from "./config/flagValues.ts"
export { type GateSettings, gateSettings } from "./config/gates.ts"
export type { ConfigLayers } from "./config/layers.ts"
export { nodeNameOf } from "./config/nodeName.ts"
export { type RemovedFlag, removedFlags } from "./config/removedFlags.ts"
export { type KubeletSettings, noKubeletSettings, type ResolvedKubelet, resolveKubelet } from "./config/settings.ts"
export type { ConfigValidators } from "./config/validate.ts"

// What its pods refer to.

export type { HeldBy, ReferencedKind } from "./references/Reference.ts"

// The credentials for its images.

export type { ExecPlugin, PluginExit } from "./credentials/CredentialPlugin.ts"
export type { CredentialPluginsSetting } from "./credentials/CredentialPlugins.ts"
export { type CredentialProvider, decodeProviders, providersOf } from "./credentials/providerConfig.ts"
export type { GivenProvider } from "./credentials/providerSchema.ts"

// The machine that it runs on.

export { fullImageName } from "./images/imageName.ts"
export type { Reservations } from "./node/Allocatable.ts"
export type { PressureKind, Readiness } from "./node/Conditions.ts"
export { initialNode, nodeInCloud } from "./node/InitialNode.ts"
export { type MachineResources, reservationStartProblem } from "./node/MachineResources.ts"
export {
  type AddressFacts,
  type FoundAddress,
  type MachineNetwork,
  machineAddresses,
  type OwnAddresses
} from "./node/NodeAddresses.ts"
export { recordNodeStatusEvents, recordReboot } from "./node/NodeEvents.ts"
export type { RuntimeImage, Versions } from "./node/NodeInfo.ts"
export type { IPFamily } from "./node/NodeIP.ts"
export { healthyObservation, type NodeObservation } from "./node/NodeStatusOf.ts"
export { type NodeSetting, nodeSetting, type StaticStatus } from "./node/StaticStatus.ts"
export {
  type HostControls,
  type ModelledHost,
  type ModelledHostOptions,
  makeModelledHost
} from "./runtime/ModelledHost.ts"
export type {
  DeviceResources,
  HostReadings,
  HostResources,
  Machine,
  MachineInCloud,
  NodeHost,
  PodUsage,
  ResourceReading
} from "./runtime/NodeHost.ts"
export { type ControlledHost, type HostMachine, NodeHosts, type NodeHostsShape } from "./runtime/NodeHosts.ts"

// What runs its containers.

export type { PodStage } from "./pod/PodDecision.ts"
export type { KillPod, PodKill } from "./pod/PodKill.ts"
export { ForwardingRuntime } from "./runtime/ForwardingRuntime.ts"
export { makeModelledPodRuntime } from "./runtime/ModelledPodRuntime.ts"
export type {
  ContainerEnd,
  ModelledImageOptions,
  ModelledPodRuntimeOptions
} from "./runtime/ModelledPodRuntimeOptions.ts"
export type {
  AllocatedResource,
  ContainerCommands,
  ContainerRuntime,
  HookEnd,
  ImageService,
  PodObserver,
  PodRuntime,
  StartFailure
} from "./runtime/PodRuntime.ts"
export { PodRuntimes, type PodRuntimesShape, type RuntimeMachine } from "./runtime/PodRuntimes.ts"
export type { ProbeFailure, ProbeKind, ProbeOutcome, ProbeOutcomes, SeenProbes } from "./runtime/ProbeOutcomes.ts"
export type { UsageSink } from "./runtime/UsageSink.ts"
export type { StaticPodManifest } from "./static/StaticPodManifest.ts"

// What prepares the devices of their claims.

export type { ContainerClaimDevices } from "./dra/claimedDevices.ts"
export type {
  DeviceDriver,
  DeviceDriversShape,
  DeviceHealth,
  DriverDone,
  HealthCheckpoint,
  HealthListener,
  PreparedDevice
} from "./dra/DeviceDriver.ts"
export { DeviceDrivers } from "./dra/DeviceDrivers.ts"

// Which pods it admits.

export { type AdmitHandlersOptions, makeAdmitHandlers } from "./admission/AdmitHandlers.ts"
export {
  judgingAlone,
  type LaterAnswer,
  type PodAdmissionRequest,
  type PodAdmitHandler,
  type PodRefusal
} from "./admission/PodAdmitHandler.ts"

// Eviction under pressure.

export type { LimitSignal } from "./eviction/localLimits.ts"
export type { EvictionSignal } from "./eviction/Signals.ts"

// Swap.

export {
  annotationBehaviour,
  bytesOf,
  type ContainerBehaviour,
  type PodBehaviour,
  parseBehaviour
} from "./runtime/PodBehaviour.ts"
export { type ContainerSwapLimit, podSwap } from "./swap/podSwap.ts"
export { swapStartProblem } from "./swap/swapAtStart.ts"
export type { SwapBehaviour, SwapConfig } from "./swap/swapLimit.ts"

// What it serves, and its metrics.

export type {
  KubeletPorts,
  KubeletStream,
  StreamClient,
  StreamInput
} from "@rollcall/streams/kubelet"
export type { AdmissionMeter } from "./admission/metrics.ts"
export type { EvictionMeter } from "./eviction/metrics.ts"
export type { KubeletMeter } from "./KubeletMeter.ts"
export { gaugeCredentialConfig, gaugeKubelets, makeKubeletMeter } from "./metrics.ts"
export type { KubeletRequest, KubeletResponse, LaterBody, SettledResponse } from "./server/KubeletRequest.ts"
export { whenAnswered } from "./server/KubeletRequest.ts"
export { type ContainerUsage, modelledUsage } from "./stats/modelledUsage.ts"
export type {
  ContainerStats,
  FsStats,
  MemoryStats,
  NodeStats,
  PodStats,
  RlimitStats,
  Summary,
  SwapStats,
  VolumeStats
} from "./stats/Summary.ts"
