import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const nodes: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Node kind list # A machine on which pods run: what it is meant to be, and what it says of itself.
  metadata 1 meta.ObjectMeta &
  spec 2 NodeSpec &
  status 3 NodeStatus &
NodeSpec # How the cluster treats the node.
  podCIDR 1 string # The range of addresses for the node's pods. Once set it stays.
  podCIDRs 7 []string set merge # The ranges for the node's pods, at most one a family of addresses; the first is podCIDR.
  providerID 3 string # The machine's name at its cloud: <provider>://<its own name>. Once set it stays.
  unschedulable 4 bool # No new pods are placed on the node (it is cordoned).
  taints 5 []Taint # What keeps pods off the node that do not tolerate it.
  configSource 6 NodeConfigSource # Without effect: its feature is gone.
  externalID 2 string # Without effect, kept for old clients.
NodeStatus # What the node was last seen to be.
  capacity 1 {}Quantity # All that the machine has, by resource.
  allocatable 2 {}Quantity # What of the capacity is left for pods.
  phase 3 string enum(Pending|Running|Terminated) # Without effect: no component sets it any more.
  conditions 4 []NodeCondition by(type) merge(type) # How the node is, one entry a question (Ready, MemoryPressure, …).
  addresses 5 []NodeAddress by(type) merge(type) # Where the node can be reached, by sort of address.
  daemonEndpoints 6 NodeDaemonEndpoints & # Ports of the daemons on the node.
  nodeInfo 7 NodeSystemInfo & # Identity and versions of the machine and of what runs on it.
  images 8 []ContainerImage # Container images that are on the node.
  volumesInUse 9 []string # Attachable volumes that are mounted on the node.
  volumesAttached 10 []AttachedVolume # Volumes that are attached to the node.
  config 11 NodeConfigStatus # Without effect: its feature is gone.
  runtimeHandlers 12 []NodeRuntimeHandler # The container runtime's handlers, and what each can do.
  features 13 NodeFeatures # What the node's container runtime can do.
  declaredFeatures 14 []string # Features of the kubelet that scheduling depends on.
Taint # A mark on a node that keeps off, or drives off, pods that do not tolerate it.
  key 1 string ! # Its name.
  value 2 string # What goes with the name.
  effect 3 string ! enum(NoExecute|NoSchedule|PreferNoSchedule) # What happens to pods that do not tolerate it: not placed here (NoSchedule), rather not placed here (PreferNoSchedule), or evicted too (NoExecute).
  timeAdded 4 Time * # When it was put on the node.
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
NodeCondition # The answer to one question about the node's health.
  type 1 string ! # Which question it answers.
  status 2 string ! # The answer: True, False or Unknown.
  lastHeartbeatTime 3 Time # When the kubelet last said so.
  lastTransitionTime 4 Time # When the status last changed.
  reason 5 string # Why, in one word, for programs.
  message 6 string # Why, for people.
NodeAddress # One way to reach the node.
  type 1 string ! # Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.
  address 2 string ! # The address itself.
NodeDaemonEndpoints # Ports of daemons on a node.
  kubeletEndpoint 1 DaemonEndpoint & # Where the kubelet serves.
DaemonEndpoint # Where one daemon can be reached.
  Port 1 int32 ! # Its port.
NodeSystemInfo # Identity and versions of a node.
  machineID 1 string ! # The ID of the installed system (/etc/machine-id).
  systemUUID 2 string ! # The ID that the hardware has.
  bootID 3 string ! # An ID that is new at every boot.
  kernelVersion 4 string ! # The kernel's release (uname -r).
  osImage 5 string ! # The operating system as it calls itself.
  containerRuntimeVersion 6 string ! # Name and version of the container runtime: containerd://2.1.0.
  kubeletVersion 7 string ! # The kubelet's version.
  kubeProxyVersion 8 string ! # Without effect: nothing reports it.
  operatingSystem 9 string ! # linux or windows.
  architecture 10 string ! # The processor's architecture: amd64, arm64, …
  swap 11 NodeSwapStatus # Swap of the node.
NodeSwapStatus # Swap of a node.
  capacity 1 int64 * # Its size in bytes.
ContainerImage # An image on the node.
  names 1 []string # All names by which it is known.
  sizeBytes 2 int64 # Its size in bytes.
AttachedVolume # A volume that is attached to a node.
  name 1 string ! # Its name.
  devicePath 2 string ! # The device as which it appears.
NodeRuntimeHandler # A handler of the container runtime.
  name 1 string # Its name; empty for the default one.
  features 2 NodeRuntimeHandlerFeatures # What it can do.
NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts 1 bool *
  userNamespaces 2 bool *
NodeFeatures
  supplementalGroupsPolicy 1 bool *
`
}
