import type { Table } from "../Table.ts"

/**
 * Upstream: staging/src/k8s.io/api/apps/v1/{types.go,generated.proto}.
 *
 * A message starts at the margin; each indented line is one of its fields: JSON name, protobuf number (`1.20` is field 20 of
 * the struct that is embedded as field 1), type, options, `# description` of OpenAPI. `required`, `enum`, `listType` and
 * `structType` are Kubernetes' markers. The others describe Go's field: `pointer` is a scalar of which absent and zero differ;
 * a message is always a pointer, unless it is `byValue` and so always encoded; `noOmitEmpty` encodes zero. A `kind` has
 * apiVersion and kind, and with `hasList` also a list kind. See ../Table.ts.
 */
export const apps: Table = {
  package: "io.k8s.api.apps.v1",
  group: "apps",
  messages: `
ReplicaSet kind hasList # Keeps a number of pods of one template running.
  metadata 1 meta.ObjectMeta byValue
  spec 2 ReplicaSetSpec byValue
  status 3 ReplicaSetStatus byValue
ReplicaSetSpec # The selector of the pods, and their number.
  replicas 1 int32 pointer
  minReadySeconds 4 int32
  selector 2 meta.LabelSelector required
  template 3 core.PodTemplateSpec byValue
ReplicaSetStatus
  replicas 1 int32 required
  fullyLabeledReplicas 2 int32
  readyReplicas 4 int32
  availableReplicas 5 int32
  terminatingReplicas 7 int32 pointer
  observedGeneration 3 int64
  conditions 6 []ReplicaSetCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
ReplicaSetCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
StatefulSet kind hasList # Keeps pods with stable names and storage running.
  metadata 1 meta.ObjectMeta byValue
  spec 2 StatefulSetSpec byValue
  status 3 StatefulSetStatus byValue
StatefulSetSpec
  replicas 1 int32 pointer
  selector 2 meta.LabelSelector required
  template 3 core.PodTemplateSpec required byValue
  volumeClaimTemplates 4 []core.PersistentVolumeClaim
  serviceName 5 string default="" noOmitEmpty
  podManagementPolicy 6 string enum=OrderedReady|Parallel
  updateStrategy 7 StatefulSetUpdateStrategy byValue
  revisionHistoryLimit 8 int32 pointer
  minReadySeconds 9 int32
  persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals 11 StatefulSetOrdinals
StatefulSetOrdinals
  start 1 int32 default=0 noOmitEmpty
StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted 1 string
  whenScaled 2 string
StatefulSetUpdateStrategy
  type 1 string enum=OnDelete|RollingUpdate
  rollingUpdate 2 RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy
  partition 1 int32 pointer
  maxUnavailable 2 IntOrString pointer
StatefulSetStatus
  observedGeneration 1 int64
  replicas 2 int32 required
  readyReplicas 3 int32
  currentReplicas 4 int32
  updatedReplicas 5 int32
  currentRevision 6 string
  updateRevision 7 string
  collisionCount 9 int32 pointer
  conditions 10 []StatefulSetCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
  availableReplicas 11 int32 noOmitEmpty
StatefulSetCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
ControllerRevision kind hasList # A snapshot of a workload at one of its revisions.
  metadata 1 meta.ObjectMeta byValue
  data 2 RawExtension
  revision 3 int64 required
DaemonSet kind hasList # Keeps one pod running on every node that matches.
  metadata 1 meta.ObjectMeta byValue
  spec 2 DaemonSetSpec byValue
  status 3 DaemonSetStatus byValue
DaemonSetCondition
  type 1 string required
  status 2 string required
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
DaemonSetSpec
  selector 1 meta.LabelSelector required
  template 2 core.PodTemplateSpec required byValue
  updateStrategy 3 DaemonSetUpdateStrategy byValue
  minReadySeconds 4 int32
  revisionHistoryLimit 6 int32 pointer
DaemonSetStatus
  currentNumberScheduled 1 int32 required
  numberMisscheduled 2 int32 required
  desiredNumberScheduled 3 int32 required
  numberReady 4 int32 required
  observedGeneration 5 int64
  updatedNumberScheduled 6 int32
  numberAvailable 7 int32
  numberUnavailable 8 int32
  collisionCount 9 int32 pointer
  conditions 10 []DaemonSetCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
DaemonSetUpdateStrategy
  type 1 string enum=OnDelete|RollingUpdate
  rollingUpdate 2 RollingUpdateDaemonSet
Deployment kind hasList # Replaces pods of one template by pods of the next, step by step.
  metadata 1 meta.ObjectMeta byValue
  spec 2 DeploymentSpec byValue
  status 3 DeploymentStatus byValue
DeploymentCondition
  type 1 string required
  status 2 string required
  lastUpdateTime 6 Time
  lastTransitionTime 7 Time
  reason 4 string
  message 5 string
DeploymentSpec # The desired pods, and the strategy of the rollout.
  replicas 1 int32 pointer # The desired number of pods. Default: 1.
  selector 2 meta.LabelSelector required # Selects the pods of the workload. It must match the labels of the template.
  template 3 core.PodTemplateSpec required byValue # The template from which the pods are created.
  strategy 4 DeploymentStrategy byValue patchStrategy=retainKeys # The strategy by which old pods are replaced by new ones.
  minReadySeconds 5 int32 # The time in seconds that a new pod must be ready to count as available.
  revisionHistoryLimit 6 int32 pointer # The number of old ReplicaSets that are kept for a rollback. Default: 10.
  paused 7 bool # Whether the rollout is paused: changes of the template then have no effect yet.
  progressDeadlineSeconds 9 int32 pointer # The time in seconds without progress after which the rollout counts as failed. Default: 600.
DeploymentStatus # The observed state.
  observedGeneration 1 int64
  replicas 2 int32
  updatedReplicas 3 int32
  readyReplicas 7 int32
  availableReplicas 4 int32
  unavailableReplicas 5 int32
  terminatingReplicas 9 int32 pointer
  conditions 6 []DeploymentCondition listType=map listMapKeys=type patchStrategy=merge patchMergeKey=type
  collisionCount 8 int32 pointer
DeploymentStrategy # The strategy by which old pods are replaced by new ones.
  type 1 string enum=Recreate|RollingUpdate # Replaces all pods at once (Recreate) or step by step (RollingUpdate). Default: RollingUpdate.
  rollingUpdate 2 RollingUpdateDeployment # Limits the steps of a rolling update.
RollingUpdateDaemonSet
  maxUnavailable 1 IntOrString pointer
  maxSurge 2 IntOrString pointer
RollingUpdateDeployment # Limits the steps of a rolling update.
  maxUnavailable 1 IntOrString pointer # The most pods that may be unavailable, as a number or a percentage. Default: 25%.
  maxSurge 2 IntOrString pointer # The most pods above the desired number, as a number or a percentage. Default: 25%.
`
}
