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
PodSpec # What is to run, where it may run, and how it ends.
  volumes 1 []Volume by(name) merge(name) retainKeys # Volumes that its containers can mount.
  initContainers 20 []Container by(name) merge(name) # Containers that run to completion, one after the other, before the others start; those that restart always go on beside them.
  containers 2 []Container ! by(name) merge(name) # The containers of the pod: at least one.
  ephemeralContainers 34 []EphemeralContainer by(name) merge(name) # Containers that were added to the running pod to look into it.
  restartPolicy 3 string enum(Always|Never|OnFailure) # Whether containers that end are started again.
  terminationGracePeriodSeconds 4 int64 * # How long the pod may take to stop after it was asked to. Default: 30.
  activeDeadlineSeconds 5 int64 * # How long the pod may run on its node before it is failed.
  dnsPolicy 6 string enum(ClusterFirst|ClusterFirstWithHostNet|Default|None) # Which name servers its containers ask.
  nodeSelector 7 {}string atomic # Labels that its node must have.
  serviceAccountName 8 string # Who the pod is towards the API.
  serviceAccount 9 string # The older name of serviceAccountName.
  automountServiceAccountToken 21 bool *
  nodeName 10 string # The node that it runs on; empty until it is placed.
  hostNetwork 11 bool # Whether it uses the node's own network.
  hostPID 12 bool
  hostIPC 13 bool
  shareProcessNamespace 27 bool *
  securityContext 14 PodSecurityContext # Users, groups and privileges for all its containers.
  imagePullSecrets 15 []LocalObjectReference by(name) merge(name)
  hostname 16 string
  subdomain 17 string
  affinity 18 Affinity # Rules about which nodes, and which neighbours, it wants.
  schedulerName 19 string # The scheduler that is to place it.
  tolerations 22 []Toleration # Taints that it puts up with.
  hostAliases 23 []HostAlias by(ip) merge(ip)
  priorityClassName 24 string # The name of its priority.
  priority 25 int32 * # Its priority, as admission took it from the class; more is more important.
  dnsConfig 26 PodDNSConfig
  readinessGates 28 []PodReadinessGate # Further conditions that must hold for it to be ready.
  runtimeClassName 29 string *
  enableServiceLinks 30 bool *
  preemptionPolicy 31 string * enum(Never|PreemptLowerPriority) # Whether it may drive off pods of lower priority.
  overhead 32 {}Quantity # What it costs beside its containers, from its runtime class.
  topologySpreadConstraints 33 []TopologySpreadConstraint by(topologyKey|whenUnsatisfiable) merge(topologyKey) # How pods like it are to be spread.
  setHostnameAsFQDN 35 bool *
  os 36 PodOS
  hostUsers 37 bool *
  schedulingGates 38 []PodSchedulingGate by(name) merge(name) # Reasons not to place it yet.
  resourceClaims 39 []PodResourceClaim by(name) merge(name) retainKeys
  resources 40 ResourceRequirements # Requests and limits of the pod as a whole.
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
Binding kind # Says which node a pod goes to.
  metadata 1 meta.ObjectMeta &
  target 2 ObjectReference ! & # Where it goes.
LocalObjectReference atomic
  name 1 string =
`
}
