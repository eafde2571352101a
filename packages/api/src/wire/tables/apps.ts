import type { Table } from "../Table.ts"

/** Upstream: staging/src/k8s.io/api/apps/v1/{types.go,generated.proto}. Notation: ../Table.ts. */
export const apps: Table = {
  package: "io.k8s.api.apps.v1",
  group: "apps",
  text: `
ReplicaSet kind list # Keeps a number of pods of one template running.
  metadata 1 meta.ObjectMeta &
  spec 2 ReplicaSetSpec &
  status 3 ReplicaSetStatus &
ReplicaSetSpec # The selector of the pods, and their number.
  replicas 1 int32 *
  minReadySeconds 4 int32
  selector 2 meta.LabelSelector !
  template 3 core.PodTemplateSpec &
ReplicaSetStatus
  replicas 1 int32 !
  fullyLabeledReplicas 2 int32
  readyReplicas 4 int32
  availableReplicas 5 int32
  terminatingReplicas 7 int32 *
  observedGeneration 3 int64
  conditions 6 []ReplicaSetCondition by(type) merge(type)
ReplicaSetCondition
  type 1 string !
  status 2 string !
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
StatefulSet kind list # Keeps pods with stable names and storage running.
  metadata 1 meta.ObjectMeta &
  spec 2 StatefulSetSpec &
  status 3 StatefulSetStatus &
StatefulSetSpec
  replicas 1 int32 *
  selector 2 meta.LabelSelector !
  template 3 core.PodTemplateSpec ! &
  volumeClaimTemplates 4 []core.PersistentVolumeClaim
  serviceName 5 string
  podManagementPolicy 6 string enum(OrderedReady|Parallel)
  updateStrategy 7 StatefulSetUpdateStrategy &
  revisionHistoryLimit 8 int32 *
  minReadySeconds 9 int32
  persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals 11 StatefulSetOrdinals
StatefulSetOrdinals
  start 1 int32
StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted 1 string
  whenScaled 2 string
StatefulSetUpdateStrategy
  type 1 string enum(OnDelete|RollingUpdate)
  rollingUpdate 2 RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy
  partition 1 int32 *
  maxUnavailable 2 IntOrString *
StatefulSetStatus
  observedGeneration 1 int64
  replicas 2 int32 !
  readyReplicas 3 int32
  currentReplicas 4 int32
  updatedReplicas 5 int32
  currentRevision 6 string
  updateRevision 7 string
  collisionCount 9 int32 *
  conditions 10 []StatefulSetCondition by(type) merge(type)
  availableReplicas 11 int32 0
StatefulSetCondition
  type 1 string !
  status 2 string !
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
ControllerRevision kind list # A snapshot of a workload at one of its revisions.
  metadata 1 meta.ObjectMeta &
  data 2 RawExtension
  revision 3 int64 !
DaemonSet kind list # Keeps one pod running on every node that matches.
  metadata 1 meta.ObjectMeta &
  spec 2 DaemonSetSpec &
  status 3 DaemonSetStatus &
DaemonSetCondition
  type 1 string !
  status 2 string !
  lastTransitionTime 3 Time
  reason 4 string
  message 5 string
DaemonSetSpec
  selector 1 meta.LabelSelector !
  template 2 core.PodTemplateSpec ! &
  updateStrategy 3 DaemonSetUpdateStrategy &
  minReadySeconds 4 int32
  revisionHistoryLimit 6 int32 *
DaemonSetStatus
  currentNumberScheduled 1 int32 !
  numberMisscheduled 2 int32 !
  desiredNumberScheduled 3 int32 !
  numberReady 4 int32 !
  observedGeneration 5 int64
  updatedNumberScheduled 6 int32
  numberAvailable 7 int32
  numberUnavailable 8 int32
  collisionCount 9 int32 *
  conditions 10 []DaemonSetCondition by(type) merge(type)
DaemonSetUpdateStrategy
  type 1 string enum(OnDelete|RollingUpdate)
  rollingUpdate 2 RollingUpdateDaemonSet
Deployment kind list # Replaces pods of one template by pods of the next, step by step.
  metadata 1 meta.ObjectMeta &
  spec 2 DeploymentSpec &
  status 3 DeploymentStatus &
DeploymentCondition
  type 1 string !
  status 2 string !
  lastUpdateTime 6 Time
  lastTransitionTime 7 Time
  reason 4 string
  message 5 string
DeploymentSpec # The desired pods, and the strategy of the rollout.
  replicas 1 int32 * # The desired number of pods. Default: 1.
  selector 2 meta.LabelSelector ! # Selects the pods of the workload. It must match the labels of the template.
  template 3 core.PodTemplateSpec ! & # The template from which the pods are created.
  strategy 4 DeploymentStrategy & retainKeys # The strategy by which old pods are replaced by new ones.
  minReadySeconds 5 int32 # The time in seconds that a new pod must be ready to count as available.
  revisionHistoryLimit 6 int32 * # The number of old ReplicaSets that are kept for a rollback. Default: 10.
  paused 7 bool # Whether the rollout is paused: changes of the template then have no effect yet.
  progressDeadlineSeconds 9 int32 * # The time in seconds without progress after which the rollout counts as failed. Default: 600.
DeploymentStatus # The observed state.
  observedGeneration 1 int64
  replicas 2 int32
  updatedReplicas 3 int32
  readyReplicas 7 int32
  availableReplicas 4 int32
  unavailableReplicas 5 int32
  terminatingReplicas 9 int32 *
  conditions 6 []DeploymentCondition by(type) merge(type)
  collisionCount 8 int32 *
DeploymentStrategy # The strategy by which old pods are replaced by new ones.
  type 1 string enum(Recreate|RollingUpdate) # Replaces all pods at once (Recreate) or step by step (RollingUpdate). Default: RollingUpdate.
  rollingUpdate 2 RollingUpdateDeployment # Limits the steps of a rolling update.
RollingUpdateDaemonSet
  maxUnavailable 1 IntOrString *
  maxSurge 2 IntOrString *
RollingUpdateDeployment # Limits the steps of a rolling update.
  maxUnavailable 1 IntOrString * # The most pods that may be unavailable, as a number or a percentage. Default: 25%.
  maxSurge 2 IntOrString * # The most pods above the desired number, as a number or a percentage. Default: 25%.
`
}
