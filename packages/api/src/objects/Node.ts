import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import type { Taint as PlainTaint } from "../Taint.ts"
import { ConditionStatus, ResourceList, Time } from "./Scalars.ts"

/** The Schema of `Taint`. */
export const Taint: Schema.Codec<PlainTaint> = Schema.Struct({
  key: Schema.String,
  value: opt(Schema.String),
  effect: oneOf("NoSchedule", "PreferNoSchedule", "NoExecute"),
  timeAdded: opt(Time)
})
export interface Taint extends PlainTaint {}

/** Decisions about a node: by its kubelet at registration, by IPAM, the cloud, operators. */
export const NodeSpec = Schema.Struct({
  podCIDR: opt(Schema.String),
  podCIDRs: opt(list(Schema.String)),
  providerID: opt(Schema.String),
  unschedulable: opt(Schema.Boolean),
  taints: opt(list(Taint)),
  externalID: opt(Schema.String),
  configSource: opt(Opaque)
})
export interface NodeSpec extends Schema.Schema.Type<typeof NodeSpec> {}

/** A condition of a node; `status` says whether `type` holds. Heartbeat and transition times have whole seconds. */
export const NodeCondition = Schema.Struct({
  type: oneOf("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "OutOfDisk"),
  status: ConditionStatus,
  lastHeartbeatTime: opt(Time),
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface NodeCondition extends Schema.Schema.Type<typeof NodeCondition> {}

/** An address and its type, in order of preference. */
export const NodeAddress = Schema.Struct({
  type: oneOf("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"),
  address: Schema.String
})
export interface NodeAddress extends Schema.Schema.Type<typeof NodeAddress> {}

/** The port of the kubelet's API. The field is spelt `Port` on the wire. */
export const NodeDaemonEndpoints = Schema.Struct({
  kubeletEndpoint: opt(Schema.Struct({ Port: Schema.Int }))
})
export interface NodeDaemonEndpoints extends Schema.Schema.Type<typeof NodeDaemonEndpoints> {}

/** The machine and its software, as the kubelet reports them. */
export const NodeSystemInfo = Schema.Struct({
  machineID: opt(Schema.String),
  systemUUID: opt(Schema.String),
  bootID: opt(Schema.String),
  kernelVersion: opt(Schema.String),
  osImage: opt(Schema.String),
  containerRuntimeVersion: opt(Schema.String),
  kubeletVersion: opt(Schema.String),
  kubeProxyVersion: opt(Schema.String),
  operatingSystem: opt(Schema.String),
  architecture: opt(Schema.String),
  swap: opt(Schema.Struct({ capacity: opt(Schema.Int) }))
})
export interface NodeSystemInfo extends Schema.Schema.Type<typeof NodeSystemInfo> {}

/** An image on the node, with all its names. */
export const ContainerImage = Schema.Struct({
  names: opt(list(Schema.String)),
  sizeBytes: opt(Schema.Int)
})
export interface ContainerImage extends Schema.Schema.Type<typeof ContainerImage> {}

/** A volume that the attach/detach controller has attached. */
export const AttachedVolume = Schema.Struct({ name: Schema.String, devicePath: opt(Schema.String) })
export interface AttachedVolume extends Schema.Schema.Type<typeof AttachedVolume> {}

/** A handler of the container runtime and its features. */
export const NodeRuntimeHandler = Schema.Struct({
  name: opt(Schema.String),
  features: opt(Schema.Struct({ recursiveReadOnlyMounts: opt(Schema.Boolean), userNamespaces: opt(Schema.Boolean) }))
})
export interface NodeRuntimeHandler extends Schema.Schema.Type<typeof NodeRuntimeHandler> {}

/** The kubelet's report; the node controller updates it when the kubelet stops reporting. */
export const NodeStatus = Schema.Struct({
  capacity: opt(ResourceList),
  allocatable: opt(ResourceList),
  phase: opt(Schema.String),
  conditions: opt(list(NodeCondition)),
  addresses: opt(list(NodeAddress)),
  daemonEndpoints: opt(NodeDaemonEndpoints),
  nodeInfo: opt(NodeSystemInfo),
  images: opt(list(ContainerImage)),
  volumesInUse: opt(list(Schema.String)),
  volumesAttached: opt(list(AttachedVolume)),
  config: opt(Opaque),
  runtimeHandlers: opt(list(NodeRuntimeHandler)),
  features: opt(Schema.Struct({ supplementalGroupsPolicy: opt(Schema.Boolean) })),
  declaredFeatures: opt(list(Schema.String))
})
export interface NodeStatus extends Schema.Schema.Type<typeof NodeStatus> {}

/** A machine that runs pods. Cluster-scoped. */
export const Node = Schema.Struct({
  ...typed("v1", "Node"),
  spec: opt(NodeSpec),
  status: opt(NodeStatus)
})
export interface Node extends Schema.Schema.Type<typeof Node> {}
