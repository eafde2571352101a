import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. */
export const nodes: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Node kind list
  metadata 1 meta.ObjectMeta &
  spec 2 NodeSpec &
  status 3 NodeStatus &
NodeSpec
  podCIDR 1 string
  podCIDRs 7 []string set merge
  providerID 3 string
  unschedulable 4 bool
  taints 5 []Taint
  configSource 6 NodeConfigSource
  externalID 2 string
NodeStatus
  capacity 1 {}Quantity
  allocatable 2 {}Quantity
  phase 3 string enum(Pending|Running|Terminated)
  conditions 4 []NodeCondition by(type) merge(type)
  addresses 5 []NodeAddress by(type) merge(type)
  daemonEndpoints 6 NodeDaemonEndpoints &
  nodeInfo 7 NodeSystemInfo &
  images 8 []ContainerImage
  volumesInUse 9 []string
  volumesAttached 10 []AttachedVolume
  config 11 NodeConfigStatus
  runtimeHandlers 12 []NodeRuntimeHandler
  features 13 NodeFeatures
  declaredFeatures 14 []string
Taint
  key 1 string !
  value 2 string
  effect 3 string ! enum(NoExecute|NoSchedule|PreferNoSchedule)
  timeAdded 4 Time *
NodeConfigSource
  configMap 2 ConfigMapNodeConfigSource
ConfigMapNodeConfigSource
  namespace 1 string !
  name 2 string !
  uid 3 string
  resourceVersion 4 string
  kubeletConfigKey 5 string !
NodeConfigStatus
  assigned 1 NodeConfigSource
  active 2 NodeConfigSource
  lastKnownGood 3 NodeConfigSource
  error 4 string
NodeCondition
  type 1 string !
  status 2 string !
  lastHeartbeatTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
NodeAddress
  type 1 string !
  address 2 string !
NodeDaemonEndpoints
  kubeletEndpoint 1 DaemonEndpoint &
DaemonEndpoint
  Port 1 int32 !
NodeSystemInfo
  machineID 1 string !
  systemUUID 2 string !
  bootID 3 string !
  kernelVersion 4 string !
  osImage 5 string !
  containerRuntimeVersion 6 string !
  kubeletVersion 7 string !
  kubeProxyVersion 8 string !
  operatingSystem 9 string !
  architecture 10 string !
  swap 11 NodeSwapStatus
NodeSwapStatus
  capacity 1 int64 *
ContainerImage
  names 1 []string
  sizeBytes 2 int64
AttachedVolume
  name 1 string !
  devicePath 2 string !
NodeRuntimeHandler
  name 1 string
  features 2 NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts 1 bool *
  userNamespaces 2 bool *
NodeFeatures
  supplementalGroupsPolicy 1 bool *
`
}
