import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const podStatus: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
PodStatus # The last observed state of the pod.
  observedGeneration 17 int64 # The generation that the status was computed for.
  phase 1 string enum(Failed|Pending|Running|Succeeded|Unknown) # The phase of its lifecycle.
  conditions 2 []PodCondition by(type) merge(type) # The conditions, one entry per type.
  message 3 string # The reason for the status as a message, for people.
  reason 4 string # The reason for the status as one word.
  nominatedNodeName 11 string # The node on which other pods are preempted for this pod.
  hostIP 5 string # The address of its node.
  hostIPs 16 []HostIP merge(ip)
  podIP 6 string # The address of the pod.
  podIPs 12 []PodIP by(ip) merge(ip) # The addresses of the pod, at most one per IP family.
  startTime 7 Time * # The time at which its kubelet accepted the pod.
  initContainerStatuses 10 []ContainerStatus # The statuses of its init containers.
  containerStatuses 8 []ContainerStatus # The statuses of its containers.
  qosClass 9 string enum(BestEffort|Burstable|Guaranteed) # The QoS class of the pod, which follows from its requests and limits.
  ephemeralContainerStatuses 13 []ContainerStatus
  resize 14 string
  resourceClaimStatuses 15 []PodResourceClaimStatus by(name) merge(name) retainKeys
  extendedResourceClaimStatus 18 PodExtendedResourceClaimStatus
  allocatedResources 19 {}Quantity
  resources 20 ResourceRequirements
  nodeAllocatableResourceClaimStatuses 21 []NodeAllocatableResourceClaimStatus
PodCondition # A condition of the pod.
  type 1 string !
  observedGeneration 7 int64
  status 2 string !
  lastProbeTime 3 Time
  lastTransitionTime 4 Time
  reason 5 string
  message 6 string
HostIP
  ip 1 string !
PodIP
  ip 1 string !
ContainerStatus
  name 1 string !
  state 2 ContainerState &
  lastState 3 ContainerState &
  ready 4 bool !
  restartCount 5 int32 !
  image 6 string !
  imageID 7 string !
  containerID 8 string
  started 9 bool *
  allocatedResources 10 {}Quantity
  resources 11 ResourceRequirements
  volumeMounts 12 []VolumeMountStatus by(mountPath) merge(mountPath)
  user 13 ContainerUser &
  allocatedResourcesStatus 14 []ResourceStatus by(name) merge(name)
  stopSignal 15 string * enum(@Signal)
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
  exitCode 1 int32 !
  signal 2 int32
  reason 3 string
  message 4 string
  startedAt 5 Time
  finishedAt 6 Time
  containerID 7 string
ContainerUser
  linux 1 LinuxContainerUser
LinuxContainerUser
  uid 1 int64 !
  gid 2 int64 !
  supplementalGroups 3 []int64
VolumeMountStatus
  name 1 string !
  mountPath 2 string !
  readOnly 3 bool
  recursiveReadOnly 4 string *
  volumeStatus 5 VolumeStatus
VolumeStatus
  image 1 ImageVolumeStatus
ImageVolumeStatus
  imageRef 1 string !
ResourceStatus
  name 1 string !
  resources 2 []ResourceHealth by(resourceID)
ResourceHealth
  resourceID 1 string !
  health 2 string
  message 6 string
PodResourceClaimStatus
  name 1 string !
  resourceClaimName 2 string *
PodExtendedResourceClaimStatus
  requestMappings 1 []ContainerExtendedResourceRequest !
  resourceClaimName 2 string !
ContainerExtendedResourceRequest
  containerName 1 string !
  resourceName 2 string !
  requestName 3 string !
NodeAllocatableResourceClaimStatus
  resourceClaimName 1 string !
  containers 2 []string
  resources 3 {}Quantity !
`
}
