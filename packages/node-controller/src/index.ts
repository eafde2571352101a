// What the controllers share: informers, observers and gates.

export { ControllerInformers } from "./ControllerInformers.ts"
export { Fatal } from "./Fatal.ts"
export { type CIDRAssignment, type NodeControllerObserver, noObserver, Observer, type PodEviction } from "./Observer.ts"

// Node lifecycle: health, taints and zones.

export type { ZoneMetrics } from "./lifecycle/metrics.ts"
export type { HealthRules } from "./lifecycle/NodeHealth.ts"
export {
  NodeLifecycleController,
  type NodeLifecycleControllerShape,
  type ZoneStatus
} from "./lifecycle/NodeLifecycleController.ts"
export { type NodeLifecycleSettings, nodeLifecycleSettings } from "./lifecycle/NodeLifecycleSettings.ts"
export { CurrentPassModel, type PassModel } from "./lifecycle/PassModel.ts"
export { zoneKeyOf, zoneNames } from "./lifecycle/ZoneKey.ts"

// Taint eviction: of nodes, of devices.

export { layerDeviceTaintEviction } from "./devicetainteviction/DeviceTaintEvictionController.ts"
export { TaintEvictionController } from "./tainteviction/TaintEvictionController.ts"

// How long kubelets may cache Secrets.

export { layerNodeTtl } from "./ttl/NodeTtlController.ts"

// Pod garbage collection.

export { PodGarbageCollector, type PodGarbageCollectorShape } from "./podgc/PodGarbageCollector.ts"
export { type PodGcSettings, podGcSettings } from "./podgc/PodGc.ts"

// Pod CIDRs of nodes.

export type { IPRange } from "./ipam/IPRange.ts"
export { defaultIpamFlags, type IpamFlags, type IpamPlan, ipamPlan, serviceRanges } from "./ipam/IpamPlan.ts"
export type { MaskSizeFlags } from "./ipam/maskSizes.ts"
export { NodeIpamController } from "./ipam/NodeIpamController.ts"
export { type Proposal, type ProposalOutcome, RangeAllocator, type SyncFailure } from "./ipam/RangeAllocator.ts"

// The cloud's controllers, and clouds for them.

export {
  CloudNodeController,
  type CloudNodeControllerShape,
  type CloudSyncFailure
} from "./cloud/CloudNodeController.ts"
export { CloudNodeLifecycleController } from "./cloud/CloudNodeLifecycleController.ts"
export { CloudNodes } from "./cloud/CloudNodes.ts"
export {
  CloudError,
  CloudProvider,
  type CloudProviderShape,
  type InstanceMetadata,
  type Instances
} from "./cloud/CloudProvider.ts"
export { type CloudSettings, cloudSettings } from "./cloud/CloudSettings.ts"
export { nodeInitializer } from "./cloud/initializeNode.ts"
export {
  type ModelledCloud,
  type ModelledCloudOptions,
  type ModelledInstance,
  makeModelledCloud
} from "./cloud/ModelledCloud.ts"
export { addressesToWrite } from "./cloud/nodeAddresses.ts"

// Forecasts: which pods would be evicted when.

export type {
  EvictionForecast,
  ForecastInput,
  NodeForecast,
  PodForecast,
  StayReason,
  StopReason,
  ZoneForecast,
  ZonePace
} from "./forecast/EvictionForecast.ts"
export { forecastEvictions } from "./forecast/forecastEvictions.ts"
export { isSilent, lastSignOf } from "./forecast/signsOfLife.ts"
