import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. The notation: ../Table.ts. */
export const quotas: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
LimitRange kind hasList # What pods, containers and claims of a namespace may request, and do by default.
  metadata 1 meta.ObjectMeta byValue
  spec 2 LimitRangeSpec byValue
LimitRangeSpec
  limits 1 []LimitRangeItem required listType=atomic
LimitRangeItem # The limits of one type of thing.
  type 1 string required # The type: Pod, Container or PersistentVolumeClaim.
  max 2 map[string]Quantity
  min 3 map[string]Quantity
  default 4 map[string]Quantity # The limits of containers that state none.
  defaultRequest 5 map[string]Quantity # The requests of containers that state none.
  maxLimitRequestRatio 6 map[string]Quantity # How many times its request a limit may be.
ResourceQuota kind hasList # How much the objects of a namespace may use together.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ResourceQuotaSpec byValue
  status 3 ResourceQuotaStatus byValue
ResourceQuotaSpec
  hard 1 map[string]Quantity # The most of each resource.
  scopes 2 []string listType=atomic enum=BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass # The scopes that an object must match to be counted.
  scopeSelector 3 ScopeSelector
ResourceQuotaStatus
  hard 1 map[string]Quantity
  used 2 map[string]Quantity # How much of each resource is in use.
ScopeSelector structType=atomic # Conditions on scopes: all must hold.
  matchExpressions 1 []ScopedResourceSelectorRequirement listType=atomic
ScopedResourceSelectorRequirement
  scopeName 1 string required enum=BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass
  operator 2 string required enum=DoesNotExist|Exists|In|NotIn
  values 3 []string listType=atomic
ReplicationController kind hasList # Keeps a number of identical pods running: the predecessor of ReplicaSet.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ReplicationControllerSpec byValue
  status 3 ReplicationControllerStatus byValue
ReplicationControllerSpec
  replicas 1 int32 pointer default=1 # The number of pods.
  minReadySeconds 4 int32 default=0 # How long a new pod must be ready before it counts as available.
  selector 2 map[string]string mapType=atomic # The labels of the pods; by default those of the template.
  template 3 PodTemplateSpec
ReplicationControllerStatus
  replicas 1 int32 required
  fullyLabeledReplicas 2 int32 # The pods that have all labels of the template.
  readyReplicas 4 int32
  availableReplicas 5 int32
  observedGeneration 3 int64
  conditions 6 []ReplicationControllerCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
ReplicationControllerCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
PodTemplate kind hasList # A template of pods, for controllers that read it.
  metadata 1 meta.ObjectMeta byValue
  template 2 PodTemplateSpec byValue
`
}
