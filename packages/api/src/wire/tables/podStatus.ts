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
export const podStatus: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
PodStatus # The last observed state of the pod.
  observedGeneration 17 int64 # The generation that the status was computed for.
  phase 1 string enum=Failed|Pending|Running|Succeeded|Unknown # The phase of its lifecycle.
  conditions 2 []PodCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type # The conditions, one entry per type.
  message 3 string # The reason for the status as a message, for people.
  reason 4 string # The reason for the status as one word.
  nominatedNodeName 11 string # The node on which other pods are preempted for this pod.
  hostIP 5 string # The address of its node.
  hostIPs 16 []HostIP patchStrategy=merge patchMergeKey=ip
  podIP 6 string # The address of the pod.
  podIPs 12 []PodIP listType=map listMapKeys=ip patchStrategy=merge patchMergeKey=ip # The addresses of the pod, at most one per IP family.
  startTime 7 Time pointer # The time at which its kubelet accepted the pod.
  initContainerStatuses 10 []ContainerStatus # The statuses of its init containers.
  containerStatuses 8 []ContainerStatus # The statuses of its containers.
  qosClass 9 string enum=BestEffort|Burstable|Guaranteed # The QoS class of the pod, which follows from its requests and limits.
  ephemeralContainerStatuses 13 []ContainerStatus
  resize 14 string
  resourceClaimStatuses 15 []PodResourceClaimStatus listType=map listMapKeys=name patchStrategy=merge,retainKeys patchMergeKey=name
  extendedResourceClaimStatus 18 PodExtendedResourceClaimStatus
  allocatedResources 19 map[string]Quantity
  resources 20 ResourceRequirements
  nodeAllocatableResourceClaimStatuses 21 []NodeAllocatableResourceClaimStatus
PodCondition # A condition of the pod.
  type 1 string required
  observedGeneration 7 int64
  status 2 string required
  lastProbeTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
HostIP
  ip 1 string required
PodIP
  ip 1 string required
ContainerStatus
  name 1 string required
  state 2 ContainerState byValue
  lastState 3 ContainerState byValue
  ready 4 bool required
  restartCount 5 int32 required
  image 6 string required
  imageID 7 string required
  containerID 8 string
  started 9 bool pointer
  allocatedResources 10 map[string]Quantity
  resources 11 ResourceRequirements
  volumeMounts 12 []VolumeMountStatus listType=map listMapKeys=mountPath patchStrategy=merge patchMergeKey=mountPath
  user 13 ContainerUser
  allocatedResourcesStatus 14 []ResourceStatus listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
  stopSignal 15 string pointer namedEnum=Signal
ContainerState
  waiting 1 ContainerStateWaiting
  running 2 ContainerStateRunning
  terminated 3 ContainerStateTerminated
ContainerStateWaiting
  reason 1 string
  message 2 string
ContainerStateRunning
  startedAt 1 Time
ContainerStateTerminated
  exitCode 1 int32 required
  signal 2 int32
  reason 3 string
  message 4 string
  startedAt 5 Time
  finishedAt 6 Time
  containerID 7 string
ContainerUser
  linux 1 LinuxContainerUser
LinuxContainerUser
  uid 1 int64 required
  gid 2 int64 required
  supplementalGroups 3 []int64
VolumeMountStatus
  name 1 string required
  mountPath 2 string required
  readOnly 3 bool
  recursiveReadOnly 4 string pointer
  volumeStatus 5 VolumeStatus
VolumeStatus
  image 1 ImageVolumeStatus
ImageVolumeStatus
  imageRef 1 string required omitEmpty
ResourceStatus
  name 1 string required
  resources 2 []ResourceHealth listType=map listMapKeys=resourceID
ResourceHealth
  resourceID 1 string required
  health 2 string
  message 6 string pointer
PodResourceClaimStatus
  name 1 string required
  resourceClaimName 2 string pointer
PodExtendedResourceClaimStatus
  requestMappings 1 []ContainerExtendedResourceRequest required
  resourceClaimName 2 string required
ContainerExtendedResourceRequest
  containerName 1 string required
  resourceName 2 string required
  requestName 3 string required
NodeAllocatableResourceClaimStatus
  resourceClaimName 1 string required
  containers 2 []string listType=set
  resources 3 map[string]Quantity required
`
}
