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
export const pods: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
Pod kind hasList # Containers that run together on one node.
  metadata 1 meta.ObjectMeta byValue
  spec 2 PodSpec byValue
  status 3 PodStatus byValue
PodSpec # The desired state of the pod: its containers, its placement and its termination.
  volumes 1 []Volume listType=map listMapKeys=name patchStrategy=merge,retainKeys patchMergeKey=name # The volumes that its containers can mount.
  initContainers 20 []Container listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # The init containers: they run to completion one after the other before the others start. Those with restartPolicy Always are sidecars, which keep running.
  containers 2 []Container required listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # The containers of the pod: at least one.
  ephemeralContainers 34 []EphemeralContainer listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # The ephemeral containers, which are added to a running pod to debug it.
  restartPolicy 3 string enum=Always|Never|OnFailure # The policy by which containers that have ended are restarted.
  terminationGracePeriodSeconds 4 int64 pointer # The grace period of the pod's termination in seconds. Default: 30.
  activeDeadlineSeconds 5 int64 pointer # The time in seconds that the pod may run on its node before it is marked Failed.
  dnsPolicy 6 string enum=ClusterFirst|ClusterFirstWithHostNet|Default|None # The policy by which DNS servers of its containers are chosen.
  nodeSelector 7 map[string]string mapType=atomic # The labels that its node must have.
  serviceAccountName 8 string # The service account with which the pod accesses the API.
  serviceAccount 9 string # The former name of serviceAccountName.
  automountServiceAccountToken 21 bool pointer
  nodeName 10 string # The node of the pod; empty until the pod is scheduled.
  hostNetwork 11 bool # Whether the pod uses the network namespace of the node.
  hostPID 12 bool
  hostIPC 13 bool
  shareProcessNamespace 27 bool pointer
  securityContext 14 PodSecurityContext # Users, groups and privileges for all its containers.
  imagePullSecrets 15 []LocalObjectReference listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
  hostname 16 string
  subdomain 17 string
  affinity 18 Affinity # Scheduling rules about nodes and about the pods near the pod.
  schedulerName 19 string # The name of the scheduler that schedules the pod.
  tolerations 22 []Toleration # The taints that the pod tolerates.
  hostAliases 23 []HostAlias listType=map listMapKeys=ip patchStrategy=merge patchMergeKey=ip
  priorityClassName 24 string # The name of its PriorityClass.
  priority 25 int32 pointer # The priority, which admission sets from the class; higher numbers are more important.
  dnsConfig 26 PodDNSConfig
  readinessGates 28 []PodReadinessGate # Additional conditions that must be True for the pod to be ready.
  runtimeClassName 29 string pointer
  enableServiceLinks 30 bool pointer
  preemptionPolicy 31 string pointer enum=Never|PreemptLowerPriority # Whether the pod may preempt pods of lower priority.
  overhead 32 map[string]Quantity # The resources that the pod uses in addition to its containers, from its runtime class.
  topologySpreadConstraints 33 []TopologySpreadConstraint listType=map listMapKeys=topologyKey,whenUnsatisfiable patchStrategy=merge patchMergeKey=topologyKey # The rules by which similar pods are spread over topology domains.
  setHostnameAsFQDN 35 bool pointer
  os 36 PodOS
  hostUsers 37 bool pointer
  schedulingGates 38 []PodSchedulingGate listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # The scheduling gates: the pod is not scheduled until this list is empty.
  resourceClaims 39 []PodResourceClaim listType=map listMapKeys=name patchStrategy=merge,retainKeys patchMergeKey=name
  resources 40 ResourceRequirements # The resource requests and limits of the whole pod.
  hostnameOverride 41 string pointer
  schedulingGroup 43 PodSchedulingGroup
PodTemplate kind hasList
  metadata 1 meta.ObjectMeta byValue
  template 2 PodTemplateSpec byValue
PodTemplateSpec
  metadata 1 meta.ObjectMeta byValue
  spec 2 PodSpec byValue
PodSecurityContext
  seLinuxOptions 1 SELinuxOptions
  windowsOptions 8 WindowsSecurityContextOptions
  runAsUser 2 int64 pointer
  runAsGroup 6 int64 pointer
  runAsNonRoot 3 bool pointer
  supplementalGroups 4 []int64
  supplementalGroupsPolicy 12 string pointer enum=Merge|Strict
  fsGroup 5 int64 pointer
  sysctls 7 []Sysctl
  fsGroupChangePolicy 9 string pointer enum=Always|OnRootMismatch
  seccompProfile 10 SeccompProfile
  appArmorProfile 11 AppArmorProfile
  seLinuxChangePolicy 13 string pointer
SELinuxOptions
  user 1 string
  role 2 string
  type 3 string
  level 4 string
WindowsSecurityContextOptions
  gmsaCredentialSpecName 1 string pointer
  gmsaCredentialSpec 2 string pointer
  runAsUserName 3 string pointer
  hostProcess 4 bool pointer
SeccompProfile
  type 1 string required enum=Localhost|RuntimeDefault|Unconfined
  localhostProfile 2 string pointer
AppArmorProfile
  type 1 string required enum=Localhost|RuntimeDefault|Unconfined
  localhostProfile 2 string pointer
Sysctl
  name 1 string required
  value 2 string required
HostAlias
  ip 1 string required
  hostnames 2 []string
PodDNSConfig
  nameservers 1 []string
  searches 2 []string
  options 3 []PodDNSConfigOption
PodDNSConfigOption
  name 1 string
  value 2 string pointer
PodReadinessGate
  conditionType 1 string required
PodOS
  name 1 string required
PodSchedulingGate
  name 1 string required
PodResourceClaim
  name 1 string required
  resourceClaimName 3 string pointer
  resourceClaimTemplateName 4 string pointer
PodSchedulingGroup
  podGroupName 1 string pointer
Binding kind # Binds a pod to a node.
  metadata 1 meta.ObjectMeta byValue
  target 2 ObjectReference required byValue # The node to which the pod is bound.
LocalObjectReference structType=atomic
  name 1 string default=""
`
}
