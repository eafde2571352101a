import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/core/v1/{types.go,generated.proto}. */
export const pods: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  text: `
Pod kind list
  metadata 1 meta.ObjectMeta &
  spec 2 PodSpec &
  status 3 PodStatus &
PodSpec
  volumes 1 []Volume by(name) merge(name) retainKeys
  initContainers 20 []Container by(name) merge(name)
  containers 2 []Container ! by(name) merge(name)
  ephemeralContainers 34 []EphemeralContainer by(name) merge(name)
  restartPolicy 3 string enum(Always|Never|OnFailure)
  terminationGracePeriodSeconds 4 int64 *
  activeDeadlineSeconds 5 int64 *
  dnsPolicy 6 string enum(ClusterFirst|ClusterFirstWithHostNet|Default|None)
  nodeSelector 7 {}string atomic
  serviceAccountName 8 string
  serviceAccount 9 string
  automountServiceAccountToken 21 bool *
  nodeName 10 string
  hostNetwork 11 bool
  hostPID 12 bool
  hostIPC 13 bool
  shareProcessNamespace 27 bool *
  securityContext 14 PodSecurityContext
  imagePullSecrets 15 []LocalObjectReference by(name) merge(name)
  hostname 16 string
  subdomain 17 string
  affinity 18 Affinity
  schedulerName 19 string
  tolerations 22 []Toleration
  hostAliases 23 []HostAlias by(ip) merge(ip)
  priorityClassName 24 string
  priority 25 int32 *
  dnsConfig 26 PodDNSConfig
  readinessGates 28 []PodReadinessGate
  runtimeClassName 29 string *
  enableServiceLinks 30 bool *
  preemptionPolicy 31 string * enum(Never|PreemptLowerPriority)
  overhead 32 {}Quantity
  topologySpreadConstraints 33 []TopologySpreadConstraint by(topologyKey|whenUnsatisfiable) merge(topologyKey)
  setHostnameAsFQDN 35 bool *
  os 36 PodOS
  hostUsers 37 bool *
  schedulingGates 38 []PodSchedulingGate by(name) merge(name)
  resourceClaims 39 []PodResourceClaim by(name) merge(name) retainKeys
  resources 40 ResourceRequirements
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
Binding kind
  metadata 1 meta.ObjectMeta &
  target 2 ObjectReference ! &
LocalObjectReference atomic
  name 1 string
`
}
