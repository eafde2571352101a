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
export const containers: Table = {
  package: "io.k8s.api.core.v1",
  group: "",
  messages: `
Container # A container: processes that are started from one image.
  name 1 string required # The name in the pod.
  image 2 string # The image of the container.
  command 3 []string # The command that replaces the entry point of the image.
  args 4 []string # The arguments that replace those of the image.
  workingDir 5 string
  ports 6 []ContainerPort listType=map listMapKeys=containerPort,protocol patchStrategy=merge patchMergeKey=containerPort # The ports on which it listens.
  envFrom 19 []EnvFromSource
  env 7 []EnvVar listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name # The environment variables.
  resources 8 ResourceRequirements byValue # The resource requests and limits.
  resizePolicy 23 []ContainerResizePolicy
  restartPolicy 24 string pointer
  restartPolicyRules 25 []ContainerRestartRule
  volumeMounts 9 []VolumeMount listType=map listMapKeys=mountPath patchStrategy=merge patchMergeKey=mountPath # The volumes that are mounted into its file system.
  volumeDevices 21 []VolumeDevice listType=map listMapKeys=devicePath patchStrategy=merge patchMergeKey=devicePath
  livenessProbe 10 Probe # The liveness probe: when it fails, the container is restarted.
  readinessProbe 11 Probe # The readiness probe: while it fails, the container receives no traffic of Services.
  startupProbe 22 Probe # The startup probe: the other probes begin when it has succeeded.
  lifecycle 12 Lifecycle
  terminationMessagePath 13 string
  terminationMessagePolicy 20 string enum=FallbackToLogsOnError|File
  imagePullPolicy 14 string enum=Always|IfNotPresent|Never # The policy by which its image is pulled.
  securityContext 15 SecurityContext
  stdin 16 bool
  stdinOnce 17 bool
  tty 18 bool
EphemeralContainer embeds=EphemeralContainerCommon
  name 1.1 string required
  image 1.2 string
  command 1.3 []string
  args 1.4 []string
  workingDir 1.5 string
  ports 1.6 []ContainerPort listType=map listMapKeys=containerPort,protocol patchStrategy=merge patchMergeKey=containerPort
  envFrom 1.19 []EnvFromSource
  env 1.7 []EnvVar listType=map listMapKeys=name patchStrategy=merge patchMergeKey=name
  resources 1.8 ResourceRequirements byValue
  resizePolicy 1.23 []ContainerResizePolicy
  restartPolicy 1.24 string pointer
  restartPolicyRules 1.25 []ContainerRestartRule
  volumeMounts 1.9 []VolumeMount listType=map listMapKeys=mountPath patchStrategy=merge patchMergeKey=mountPath
  volumeDevices 1.21 []VolumeDevice listType=map listMapKeys=devicePath patchStrategy=merge patchMergeKey=devicePath
  livenessProbe 1.10 Probe
  readinessProbe 1.11 Probe
  startupProbe 1.22 Probe
  lifecycle 1.12 Lifecycle
  terminationMessagePath 1.13 string
  terminationMessagePolicy 1.20 string enum=FallbackToLogsOnError|File
  imagePullPolicy 1.14 string enum=Always|IfNotPresent|Never
  securityContext 1.15 SecurityContext
  stdin 1.16 bool
  stdinOnce 1.17 bool
  tty 1.18 bool
  targetContainerName 2 string
ContainerPort
  name 1 string
  hostPort 2 int32
  containerPort 3 int32 required
  protocol 4 string enum=SCTP|TCP|UDP default=TCP
  hostIP 5 string
ContainerResizePolicy
  resourceName 1 string required
  restartPolicy 2 string required
ContainerRestartRule
  action 1 string required omitEmpty
  exitCodes 2 ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes
  operator 1 string required omitEmpty
  values 2 []int32 listType=set
EnvFromSource
  prefix 1 string
  configMapRef 2 ConfigMapEnvSource
  secretRef 3 SecretEnvSource
ConfigMapEnvSource embeds=LocalObjectReference
  name 1.1 string default=""
  optional 2 bool pointer
SecretEnvSource embeds=LocalObjectReference
  name 1.1 string default=""
  optional 2 bool pointer
EnvVar
  name 1 string required
  value 2 string
  valueFrom 3 EnvVarSource
EnvVarSource
  fieldRef 1 ObjectFieldSelector
  resourceFieldRef 2 ResourceFieldSelector
  configMapKeyRef 3 ConfigMapKeySelector
  secretKeyRef 4 SecretKeySelector
  fileKeyRef 5 FileKeySelector
ObjectFieldSelector structType=atomic
  apiVersion 1 string
  fieldPath 2 string required
ResourceFieldSelector structType=atomic
  containerName 1 string
  resource 2 string required
  divisor 3 Quantity
ConfigMapKeySelector structType=atomic embeds=LocalObjectReference
  name 1.1 string default=""
  key 2 string required
  optional 3 bool pointer
SecretKeySelector structType=atomic embeds=LocalObjectReference
  name 1.1 string default=""
  key 2 string required
  optional 3 bool pointer
FileKeySelector structType=atomic
  volumeName 1 string required
  path 2 string required
  key 3 string required
  optional 4 bool pointer default=false
ResourceRequirements
  limits 1 map[string]Quantity
  requests 2 map[string]Quantity
  claims 3 []ResourceClaim listType=map listMapKeys=name
ResourceClaim
  name 1 string required
  request 2 string
VolumeMount
  name 1 string required
  readOnly 2 bool
  recursiveReadOnly 7 string pointer
  mountPath 3 string required
  subPath 4 string
  mountPropagation 5 string pointer enum=Bidirectional|HostToContainer|None
  subPathExpr 6 string
VolumeDevice
  name 1 string required
  devicePath 2 string required
Probe embeds=ProbeHandler
  exec 1.1 ExecAction
  httpGet 1.2 HTTPGetAction
  tcpSocket 1.3 TCPSocketAction
  grpc 1.4 GRPCAction
  initialDelaySeconds 2 int32
  timeoutSeconds 3 int32
  periodSeconds 4 int32
  successThreshold 5 int32
  failureThreshold 6 int32
  terminationGracePeriodSeconds 7 int64 pointer
Lifecycle
  postStart 1 LifecycleHandler
  preStop 2 LifecycleHandler
  stopSignal 3 string pointer namedEnum=Signal
LifecycleHandler
  exec 1 ExecAction
  httpGet 2 HTTPGetAction
  tcpSocket 3 TCPSocketAction
  sleep 4 SleepAction
ExecAction
  command 1 []string
HTTPGetAction
  path 1 string
  port 2 IntOrString required
  host 3 string
  scheme 4 string enum=HTTP|HTTPS
  httpHeaders 5 []HTTPHeader
HTTPHeader
  name 1 string required
  value 2 string required
TCPSocketAction
  port 1 IntOrString required
  host 2 string
GRPCAction
  port 1 int32 required
  service 2 string pointer default="" noOmitEmpty
SleepAction
  seconds 1 int64 required
SecurityContext
  capabilities 1 Capabilities
  privileged 2 bool pointer
  seLinuxOptions 3 SELinuxOptions
  windowsOptions 10 WindowsSecurityContextOptions
  runAsUser 4 int64 pointer
  runAsGroup 8 int64 pointer
  runAsNonRoot 5 bool pointer
  readOnlyRootFilesystem 6 bool pointer
  allowPrivilegeEscalation 7 bool pointer
  procMount 9 string pointer enum=Default|Unmasked
  seccompProfile 11 SeccompProfile
  appArmorProfile 12 AppArmorProfile
Capabilities
  add 1 []string
  drop 2 []string
`
}
