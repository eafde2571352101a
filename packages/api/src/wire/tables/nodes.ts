import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const nodes: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
Node kind hasList # A machine on which pods run: its desired and its observed state.
  metadata 1 meta.ObjectMeta byValue
  spec 2 NodeSpec byValue
  status 3 NodeStatus byValue
NodeSpec # The desired state of the node.
  podCIDR 1 string # The CIDR of the node's pods. It cannot be changed once it is set.
  podCIDRs 7 []string listType=set patchStrategy=merge # The CIDRs of the node's pods, at most one per IP family; the first is podCIDR.
  providerID 3 string # The ID of the machine at its cloud provider: <provider>://<ID>. It cannot be changed once it is set.
  unschedulable 4 bool # Whether the node is cordoned: no new pods are scheduled on it.
  taints 5 []Taint # The taints of the node; they repel pods that do not tolerate them.
  configSource 6 NodeConfigSource # Has no effect: its feature was removed.
  externalID 2 string # Has no effect; the field is kept for old clients.
NodeStatus # The last observed state of the node.
  capacity 1 map[string]Quantity # The total resources of the machine.
  allocatable 2 map[string]Quantity # The part of the capacity that is available to pods.
  phase 3 string enum=Pending|Running|Terminated # Has no effect: no component sets it any more.
  conditions 4 []NodeCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type # The conditions of the node, one entry per type (Ready, MemoryPressure, …).
  addresses 5 []NodeAddress listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type # The addresses of the node, by type.
  daemonEndpoints 6 NodeDaemonEndpoints byValue # The ports of the daemons on the node.
  nodeInfo 7 NodeSystemInfo byValue # The identity and versions of the machine and its software.
  images 8 []ContainerImage # The container images on the node.
  volumesInUse 9 []string # The attachable volumes that are mounted on the node.
  volumesAttached 10 []AttachedVolume # The volumes that are attached to the node.
  config 11 NodeConfigStatus # Has no effect: its feature was removed.
  runtimeHandlers 12 []NodeRuntimeHandler # The handlers of the container runtime, and the features of each.
  features 13 NodeFeatures # The features of the node's container runtime.
  declaredFeatures 14 []string # The features of the kubelet that affect scheduling.
Taint # A taint of a node: it repels or evicts pods that do not tolerate it.
  key 1 string required # The name.
  value 2 string # The value that belongs to the name.
  effect 3 string required enum=NoExecute|NoSchedule|PreferNoSchedule # The effect on pods that do not tolerate the taint: they are not scheduled on the node (NoSchedule), if possible not scheduled on it (PreferNoSchedule), or also evicted (NoExecute).
  timeAdded 4 Time pointer # The time at which the taint was added.
NodeConfigSource
  configMap 2 ConfigMapNodeConfigSource
ConfigMapNodeConfigSource
  namespace 1 string required
  name 2 string required
  uid 3 string
  resourceVersion 4 string
  kubeletConfigKey 5 string required
NodeConfigStatus
  assigned 1 NodeConfigSource
  active 2 NodeConfigSource
  lastKnownGood 3 NodeConfigSource
  error 4 string
NodeCondition # A condition of the node.
  type 1 string required # The type of the condition.
  status 2 string required # The status of the condition: True, False or Unknown.
  lastHeartbeatTime 3 Time # The time of the kubelet's last report.
  lastTransitionTime 4 Time # The time at which the status last changed.
  reason 5 string # The reason as one word, for programs.
  message 6 string # The reason as a message, for people.
NodeAddress # An address of the node.
  type 1 string required # Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.
  address 2 string required # The address.
NodeDaemonEndpoints # The ports of daemons on a node.
  kubeletEndpoint 1 DaemonEndpoint byValue # The endpoint of the kubelet.
DaemonEndpoint # The endpoint of one daemon.
  Port 1 int32 required # The port.
NodeSystemInfo # The identity and versions of a node.
  machineID 1 string required # The ID of the installed system (/etc/machine-id).
  systemUUID 2 string required # The UUID that the hardware reports.
  bootID 3 string required # An ID that changes with every boot.
  kernelVersion 4 string required # The release of the kernel (uname -r).
  osImage 5 string required # The name that the operating system reports.
  containerRuntimeVersion 6 string required # The name and version of the container runtime: containerd://2.1.0.
  kubeletVersion 7 string required # The kubelet's version.
  kubeProxyVersion 8 string required # Has no effect: no component reports it.
  operatingSystem 9 string required # linux or windows.
  architecture 10 string required # The architecture of the processor: amd64, arm64, …
  swap 11 NodeSwapStatus # Swap of the node.
NodeSwapStatus # Swap of a node.
  capacity 1 int64 pointer # The size in bytes.
ContainerImage # An image on the node.
  names 1 []string noOmitEmpty # All names of the image.
  sizeBytes 2 int64 # The size in bytes.
AttachedVolume # A volume that is attached to a node.
  name 1 string required # The name.
  devicePath 2 string required # The path of the device inside the container.
NodeRuntimeHandler # A handler of the container runtime.
  name 1 string default="" noOmitEmpty # The name; empty for the default handler.
  features 2 NodeRuntimeHandlerFeatures # The features of the handler.
NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts 1 bool pointer
  userNamespaces 2 bool pointer
NodeFeatures
  supplementalGroupsPolicy 1 bool pointer
`
}
