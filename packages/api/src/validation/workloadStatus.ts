import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../objects/Apps.ts"
import type { KubeObject } from "../objects/Meta.ts"
import type { ReplicationController } from "../objects/ReplicationController.ts"
import { ErrorList } from "./ErrorList.ts"
import type { FieldErrors } from "./FieldError.ts"
import { validateObjectMetaUpdate } from "./metadata.ts"

/**
 * Validation of the counters that workload controllers report. Upstream: pkg/apis/apps/validation/validation.go,
 * Validate*StatusUpdate.
 */

type Counters = Readonly<Record<string, number | undefined>>

const checkMetadata = (errors: ErrorList, object: KubeObject, old: KubeObject): void =>
  validateObjectMetaUpdate(errors, object.metadata, old.metadata, { standardFinalizers: true })

const checkCounters = (errors: ErrorList, counters: Counters): void => {
  for (const [field, count] of Object.entries(counters)) errors.nonNegative(`status.${field}`, count)
}

const terminatingOf = ({ status }: { readonly status?: object }): number | undefined =>
  (status as Counters | undefined)?.terminatingReplicas

const checkAtMost = (
  errors: ErrorList,
  counters: Counters,
  fields: ReadonlyArray<string>,
  limitField: string,
  limitName = limitField
): void => {
  const limit = counters[limitField] ?? 0
  for (const field of fields) {
    const count = counters[field] ?? 0
    if (count > limit) errors.invalid(`status.${field}`, count, `cannot be greater than ${limitName}`)
  }
}

/** Checks that a collision count only increases: it is part of the hash in the names of the controller's next objects. */
const checkCollisions = (errors: ErrorList, count: number | undefined, old: number | undefined): void => {
  if (old !== undefined && (count === undefined || count < old)) {
    errors.invalid("status.collisionCount", count ?? 0, "cannot be decremented")
  }
}

/** Validates the counters of ReplicaSets and ReplicationControllers. */
export const validateReplicaSetStatusUpdate = (
  object: ReplicaSet | ReplicationController,
  old: KubeObject
): FieldErrors => {
  const { availableReplicas, fullyLabeledReplicas, observedGeneration, readyReplicas, replicas } = object.status ?? {}
  const terminatingReplicas = terminatingOf(object)
  const counters = {
    replicas,
    fullyLabeledReplicas,
    readyReplicas,
    availableReplicas,
    observedGeneration,
    terminatingReplicas
  }
  const errors = new ErrorList()
  checkMetadata(errors, object, old)
  checkCounters(errors, counters)
  checkAtMost(
    errors,
    counters,
    ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    "replicas",
    "status.replicas"
  )
  checkAtMost(errors, counters, ["availableReplicas"], "readyReplicas")
  return errors.all
}

export const validateDeploymentStatusUpdate = (deployment: Deployment, old: Deployment): FieldErrors => {
  const status = deployment.status ?? {}
  const { availableReplicas, observedGeneration, readyReplicas, replicas, unavailableReplicas, updatedReplicas } =
    status
  const counters = {
    observedGeneration,
    replicas,
    updatedReplicas,
    readyReplicas,
    availableReplicas,
    unavailableReplicas,
    terminatingReplicas: terminatingOf(deployment),
    collisionCount: status.collisionCount
  }
  const errors = new ErrorList()
  checkMetadata(errors, deployment, old)
  checkCounters(errors, counters)
  checkAtMost(
    errors,
    counters,
    ["updatedReplicas", "readyReplicas", "availableReplicas"],
    "replicas",
    "status.replicas"
  )
  checkAtMost(errors, counters, ["availableReplicas"], "readyReplicas")
  checkCollisions(errors, status.collisionCount, old.status?.collisionCount)
  return errors.all
}

/** The counters in the order in which they are checked. */
const daemonCounters = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount"
] as const

export const validateDaemonSetStatusUpdate = (daemonSet: DaemonSet, old: DaemonSet): FieldErrors => {
  const errors = new ErrorList()
  checkMetadata(errors, daemonSet, old)
  for (const field of daemonCounters) errors.nonNegative(`status.${field}`, daemonSet.status?.[field])
  checkCollisions(errors, daemonSet.status?.collisionCount, old.status?.collisionCount)
  return errors.all
}

export const validateStatefulSetStatusUpdate = (statefulSet: StatefulSet, old: StatefulSet): FieldErrors => {
  const status: Partial<NonNullable<StatefulSet["status"]>> = statefulSet.status ?? {}
  const { availableReplicas, collisionCount, currentReplicas, observedGeneration } = status
  const { readyReplicas, replicas, updatedReplicas } = status
  const parts = { readyReplicas, currentReplicas, updatedReplicas, availableReplicas }
  const counters = { replicas, ...parts, observedGeneration, collisionCount }
  const errors = new ErrorList()
  checkCounters(errors, counters)
  checkAtMost(errors, counters, Object.keys(parts), "replicas", "status.replicas")
  checkAtMost(errors, counters, ["availableReplicas"], "readyReplicas", "status.readyReplicas")
  checkMetadata(errors, statefulSet, old)
  checkCollisions(errors, collisionCount, old.status?.collisionCount)
  return errors.all
}
