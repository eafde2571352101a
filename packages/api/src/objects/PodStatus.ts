import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { ResourceRequirements } from "./Container.ts"
import { ConditionStatus, ResourceList, Time } from "./Scalars.ts"

export type PodPhase = PodStatus["phase"]
export type PodQOSClass = "Guaranteed" | "Burstable" | "BestEffort"

/** A condition of a pod. */
export const PodCondition = Schema.Struct({
  type: oneOf(
    "PodScheduled",
    "PodReadyToStartContainers",
    "Initialized",
    "ContainersReady",
    "Ready",
    "DisruptionTarget",
    "PodResizePending",
    "PodResizeInProgress"
  ),
  status: ConditionStatus,
  /** The API writes null, because no component sets this time. */
  lastProbeTime: opt(Schema.NullOr(Time)),
  lastTransitionTime: opt(Time),
  reason: opt(Schema.String),
  message: opt(Schema.String),
  observedGeneration: opt(Schema.Int)
})
export interface PodCondition extends Schema.Schema.Type<typeof PodCondition> {}

/** Waiting for its first start or for a restart. */
export const ContainerStateWaiting = Schema.Struct({ reason: opt(Schema.String), message: opt(Schema.String) })
export interface ContainerStateWaiting extends Schema.Schema.Type<typeof ContainerStateWaiting> {}

/** Running, and since when. */
export const ContainerStateRunning = Schema.Struct({ startedAt: opt(Time) })
export interface ContainerStateRunning extends Schema.Schema.Type<typeof ContainerStateRunning> {}

/** How and when the last run ended. */
export const ContainerStateTerminated = Schema.Struct({
  exitCode: Schema.Int,
  signal: opt(Schema.Int),
  reason: opt(Schema.String),
  message: opt(Schema.String),
  startedAt: opt(Time),
  finishedAt: opt(Time),
  containerID: opt(Schema.String)
})
export interface ContainerStateTerminated extends Schema.Schema.Type<typeof ContainerStateTerminated> {}

/** At most one field is set; none means waiting. */
export const ContainerState = Schema.Struct({
  waiting: opt(ContainerStateWaiting),
  running: opt(ContainerStateRunning),
  terminated: opt(ContainerStateTerminated)
})
export interface ContainerState extends Schema.Schema.Type<typeof ContainerState> {}

/** The state of a container as the kubelet last saw it. */
export const ContainerStatus = Schema.Struct({
  name: Schema.String,
  state: opt(ContainerState),
  lastState: opt(ContainerState),
  ready: opt(Schema.Boolean),
  restartCount: opt(Schema.Int),
  image: opt(Schema.String),
  imageID: opt(Schema.String),
  containerID: opt(Schema.String),
  started: opt(Schema.Boolean),
  allocatedResources: opt(ResourceList),
  resources: opt(ResourceRequirements),
  volumeMounts: opt(list(Opaque)),
  user: opt(Opaque),
  allocatedResourcesStatus: opt(
    list(
      Schema.Struct({
        name: opt(Schema.String),
        resources: opt(
          list(
            Schema.Struct({ resourceID: opt(Schema.String), health: opt(Schema.String), message: opt(Schema.String) })
          )
        )
      })
    )
  ),
  stopSignal: opt(Schema.String)
})
export interface ContainerStatus extends Schema.Schema.Type<typeof ContainerStatus> {}

/** The state of the pod, reported by its kubelet; controllers also set conditions. */
export const PodStatus = Schema.Struct({
  observedGeneration: opt(Schema.Int),
  phase: opt(oneOf("Pending", "Running", "Succeeded", "Failed", "Unknown")),
  conditions: opt(list(PodCondition)),
  message: opt(Schema.String),
  reason: opt(Schema.String),
  nominatedNodeName: opt(Schema.String),
  hostIP: opt(Schema.String),
  hostIPs: opt(list(Schema.Struct({ ip: opt(Schema.String) }))),
  podIP: opt(Schema.String),
  podIPs: opt(list(Schema.Struct({ ip: opt(Schema.String) }))),
  startTime: opt(Time),
  initContainerStatuses: opt(list(ContainerStatus)),
  containerStatuses: opt(list(ContainerStatus)),
  ephemeralContainerStatuses: opt(list(ContainerStatus)),
  qosClass: opt(oneOf("Guaranteed", "Burstable", "BestEffort")),
  resize: opt(Schema.String),
  resourceClaimStatuses: opt(list(Schema.Struct({ name: Schema.String, resourceClaimName: opt(Schema.String) }))),
  extendedResourceClaimStatus: opt(Opaque),
  allocatedResources: opt(ResourceList),
  resources: opt(ResourceRequirements)
})
export interface PodStatus extends Schema.Schema.Type<typeof PodStatus> {}
