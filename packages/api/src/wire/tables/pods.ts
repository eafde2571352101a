import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const pods: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Pod kind list # Containers that run together on one node.
  metadata 1 meta.ObjectMeta &
  spec 2 PodSpec &
  status 3 PodStatus &
PodSpec # The desired state of the pod: its containers, its placement and its termination.
  volumes 1 []Volume by(name) merge(name) retainKeys # The volumes that its containers can mount.
  initContainers 20 []Container by(name) merge(name) # The init containers: they run to completion one after the other before the others start. Those with restartPolicy Always are sidecars, which keep running.
  containers 2 []Container ! by(name) merge(name) # The containers of the pod: at least one.
  ephemeralContainers 34 []EphemeralContainer by(name) merge(name) # The ephemeral containers, which are added to a running pod to debug it.
  restartPolicy 3 string enum(Always|Never|OnFailure) # The policy by which containers that have ended are restarted.
  terminationGracePeriodSeconds 4 int64 * # The grace period of the pod's termination in seconds. Default: 30.
  activeDeadlineSeconds 5 int64 * # The time in seconds that the pod may run on its node before it is marked Failed.
  dnsPolicy 6 string enum(ClusterFirst|ClusterFirstWithHostNet|Default|None) # The policy by which DNS servers of its containers are chosen.
  nodeSelector 7 {}string atomic # The labels that its node must have.
  serviceAccountName 8 string # The service account with which the pod accesses the API.
  serviceAccount 9 string # The former name of serviceAccountName.
  automountServiceAccountToken 21 bool *
  nodeName 10 string # The node of the pod; empty until the pod is scheduled.
  hostNetwork 11 bool # Whether the pod uses the network namespace of the node.
  hostPID 12 bool
  hostIPC 13 bool
  shareProcessNamespace 27 bool *
  securityContext 14 PodSecurityContext # Users, groups and privileges for all its containers.
  imagePullSecrets 15 []LocalObjectReference by(name) merge(name)
  hostname 16 string
  subdomain 17 string
  affinity 18 Affinity # Scheduling rules about nodes and about the pods near the pod.
  schedulerName 19 string # The name of the scheduler that schedules the pod.
  tolerations 22 []Toleration # The taints that the pod tolerates.
  hostAliases 23 []HostAlias by(ip) merge(ip)
  priorityClassName 24 string # The name of its PriorityClass.
  priority 25 int32 * # The priority, which admission sets from the class; higher numbers are more important.
  dnsConfig 26 PodDNSConfig
  readinessGates 28 []PodReadinessGate # Additional conditions that must be True for the pod to be ready.
  runtimeClassName 29 string *
  enableServiceLinks 30 bool *
  preemptionPolicy 31 string * enum(Never|PreemptLowerPriority) # Whether the pod may preempt pods of lower priority.
  overhead 32 {}Quantity # The resources that the pod uses in addition to its containers, from its runtime class.
  topologySpreadConstraints 33 []TopologySpreadConstraint by(topologyKey|whenUnsatisfiable) merge(topologyKey) # The rules by which similar pods are spread over topology domains.
  setHostnameAsFQDN 35 bool *
  os 36 PodOS
  hostUsers 37 bool *
  schedulingGates 38 []PodSchedulingGate by(name) merge(name) # The scheduling gates: the pod is not scheduled until this list is empty.
  resourceClaims 39 []PodResourceClaim by(name) merge(name) retainKeys
  resources 40 ResourceRequirements # The resource requests and limits of the whole pod.
  hostnameOverride 41 string *
  schedulingGroup 43 PodSchedulingGroup
PodTemplate kind list
  metadata 1 meta.ObjectMeta &
  template 2 PodTemplateSpec &
PodTemplateSpec
  metadata 1 meta.ObjectMeta &
  spec 2 PodSpec &
PodSecurityContext
  seLinuxOptions 1 SELinuxOptions
  windowsOptions 8 WindowsSecurityContextOptions
  runAsUser 2 int64 *
  runAsGroup 6 int64 *
  runAsNonRoot 3 bool *
  supplementalGroups 4 []int64
  supplementalGroupsPolicy 12 string * enum(Merge|Strict)
  fsGroup 5 int64 *
  sysctls 7 []Sysctl
  fsGroupChangePolicy 9 string * enum(Always|OnRootMismatch)
  seccompProfile 10 SeccompProfile
  appArmorProfile 11 AppArmorProfile
  seLinuxChangePolicy 13 string *
SELinuxOptions
  user 1 string
  role 2 string
  type 3 string
  level 4 string
WindowsSecurityContextOptions
  gmsaCredentialSpecName 1 string *
  gmsaCredentialSpec 2 string *
  runAsUserName 3 string *
  hostProcess 4 bool *
SeccompProfile
  type 1 string ! enum(Localhost|RuntimeDefault|Unconfined)
  localhostProfile 2 string *
AppArmorProfile
  type 1 string ! enum(Localhost|RuntimeDefault|Unconfined)
  localhostProfile 2 string *
Sysctl
  name 1 string !
  value 2 string !
HostAlias
  ip 1 string !
  hostnames 2 []string
PodDNSConfig
  nameservers 1 []string
  searches 2 []string
  options 3 []PodDNSConfigOption
PodDNSConfigOption
  name 1 string
  value 2 string *
PodReadinessGate
  conditionType 1 string !
PodOS
  name 1 string !
PodSchedulingGate
  name 1 string !
PodResourceClaim
  name 1 string !
  resourceClaimName 3 string *
  resourceClaimTemplateName 4 string *
PodSchedulingGroup
  podGroupName 1 string *
Binding kind # Binds a pod to a node.
  metadata 1 meta.ObjectMeta &
  target 2 ObjectReference ! & # The node to which the pod is bound.
LocalObjectReference atomic
  name 1 string =
`
}
