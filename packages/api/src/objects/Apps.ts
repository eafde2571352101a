import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { LabelSelector } from "./Meta.ts"
import { PodTemplateSpec } from "./Pod.ts"
import { ConditionStatus, IntOrString, Time } from "./Scalars.ts"

/** A condition of a workload. */
export const WorkloadCondition = Schema.Struct({
  type: Schema.String,
  status: ConditionStatus,
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface WorkloadCondition extends Schema.Schema.Type<typeof WorkloadCondition> {}

/** A condition of a Deployment; it also has the time of its last update. */
export const DeploymentCondition = Schema.Struct({ ...WorkloadCondition.fields, lastUpdateTime: opt(Time) })
export interface DeploymentCondition extends Schema.Schema.Type<typeof DeploymentCondition> {}

export const ReplicaSetSpec = Schema.Struct({
  replicas: opt(Schema.Int),
  minReadySeconds: opt(Schema.Int),
  selector: LabelSelector,
  template: opt(PodTemplateSpec)
})
export interface ReplicaSetSpec extends Schema.Schema.Type<typeof ReplicaSetSpec> {}

export const ReplicaSetStatus = Schema.Struct({
  replicas: Schema.Int,
  fullyLabeledReplicas: opt(Schema.Int),
  readyReplicas: opt(Schema.Int),
  availableReplicas: opt(Schema.Int),
  terminatingReplicas: opt(Schema.Int),
  observedGeneration: opt(Schema.Int),
  conditions: opt(list(WorkloadCondition))
})
export interface ReplicaSetStatus extends Schema.Schema.Type<typeof ReplicaSetStatus> {}

/** Keeps a number of identical pods running. */
export const ReplicaSet = Schema.Struct({
  ...typed("apps/v1", "ReplicaSet"),
  spec: ReplicaSetSpec,
  status: opt(ReplicaSetStatus)
})
export interface ReplicaSet extends Schema.Schema.Type<typeof ReplicaSet> {}

const RollingUpdate = Schema.Struct({ maxUnavailable: opt(IntOrString), maxSurge: opt(IntOrString) })

export const DeploymentSpec = Schema.Struct({
  replicas: opt(Schema.Int),
  selector: LabelSelector,
  template: PodTemplateSpec,
  strategy: opt(Schema.Struct({ type: opt(oneOf("RollingUpdate", "Recreate")), rollingUpdate: opt(RollingUpdate) })),
  minReadySeconds: opt(Schema.Int),
  revisionHistoryLimit: opt(Schema.Int),
  paused: opt(Schema.Boolean),
  progressDeadlineSeconds: opt(Schema.Int)
})
export interface DeploymentSpec extends Schema.Schema.Type<typeof DeploymentSpec> {}

export const DeploymentStatus = Schema.Struct({
  observedGeneration: opt(Schema.Int),
  replicas: opt(Schema.Int),
  updatedReplicas: opt(Schema.Int),
  readyReplicas: opt(Schema.Int),
  availableReplicas: opt(Schema.Int),
  unavailableReplicas: opt(Schema.Int),
  terminatingReplicas: opt(Schema.Int),
  conditions: opt(list(DeploymentCondition)),
  collisionCount: opt(Schema.Int)
})
export interface DeploymentStatus extends Schema.Schema.Type<typeof DeploymentStatus> {}

/** Moves pods from one template to the next through ReplicaSets. */
export const Deployment = Schema.Struct({
  ...typed("apps/v1", "Deployment"),
  spec: DeploymentSpec,
  status: opt(DeploymentStatus)
})
export interface Deployment extends Schema.Schema.Type<typeof Deployment> {}

export const DaemonSetSpec = Schema.Struct({
  selector: LabelSelector,
  template: PodTemplateSpec,
  updateStrategy: opt(
    Schema.Struct({ type: opt(oneOf("RollingUpdate", "OnDelete")), rollingUpdate: opt(RollingUpdate) })
  ),
  minReadySeconds: opt(Schema.Int),
  revisionHistoryLimit: opt(Schema.Int)
})
export interface DaemonSetSpec extends Schema.Schema.Type<typeof DaemonSetSpec> {}

export const DaemonSetStatus = Schema.Struct({
  currentNumberScheduled: Schema.Int,
  numberMisscheduled: Schema.Int,
  desiredNumberScheduled: Schema.Int,
  numberReady: Schema.Int,
  observedGeneration: opt(Schema.Int),
  updatedNumberScheduled: opt(Schema.Int),
  numberAvailable: opt(Schema.Int),
  numberUnavailable: opt(Schema.Int),
  collisionCount: opt(Schema.Int),
  conditions: opt(list(WorkloadCondition))
})
export interface DaemonSetStatus extends Schema.Schema.Type<typeof DaemonSetStatus> {}

/** Runs a pod on each eligible node. */
export const DaemonSet = Schema.Struct({
  ...typed("apps/v1", "DaemonSet"),
  spec: DaemonSetSpec,
  status: opt(DaemonSetStatus)
})
export interface DaemonSet extends Schema.Schema.Type<typeof DaemonSet> {}

export const StatefulSetSpec = Schema.Struct({
  replicas: opt(Schema.Int),
  selector: LabelSelector,
  template: PodTemplateSpec,
  volumeClaimTemplates: opt(list(Opaque)),
  serviceName: opt(Schema.String),
  podManagementPolicy: opt(oneOf("OrderedReady", "Parallel")),
  updateStrategy: opt(
    Schema.Struct({
      type: opt(oneOf("RollingUpdate", "OnDelete")),
      rollingUpdate: opt(Schema.Struct({ partition: opt(Schema.Int), maxUnavailable: opt(IntOrString) }))
    })
  ),
  revisionHistoryLimit: opt(Schema.Int),
  minReadySeconds: opt(Schema.Int),
  persistentVolumeClaimRetentionPolicy: opt(
    Schema.Struct({ whenDeleted: opt(oneOf("Retain", "Delete")), whenScaled: opt(oneOf("Retain", "Delete")) })
  ),
  ordinals: opt(Schema.Struct({ start: opt(Schema.Int) }))
})
export interface StatefulSetSpec extends Schema.Schema.Type<typeof StatefulSetSpec> {}

export const StatefulSetStatus = Schema.Struct({
  observedGeneration: opt(Schema.Int),
  replicas: Schema.Int,
  readyReplicas: opt(Schema.Int),
  currentReplicas: opt(Schema.Int),
  updatedReplicas: opt(Schema.Int),
  availableReplicas: opt(Schema.Int),
  currentRevision: opt(Schema.String),
  updateRevision: opt(Schema.String),
  collisionCount: opt(Schema.Int),
  conditions: opt(list(WorkloadCondition))
})
export interface StatefulSetStatus extends Schema.Schema.Type<typeof StatefulSetStatus> {}

/** Runs pods with stable names, in order. */
export const StatefulSet = Schema.Struct({
  ...typed("apps/v1", "StatefulSet"),
  spec: StatefulSetSpec,
  status: opt(StatefulSetStatus)
})
export interface StatefulSet extends Schema.Schema.Type<typeof StatefulSet> {}
