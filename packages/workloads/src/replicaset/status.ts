import { formatTime, type ReplicaSet, type ReplicaSetStatus, type WorkloadCondition } from "@rollcall/api"
import { unlessZero } from "../unlessZero.ts"

/** The counts of a set's pods. */
export interface ReplicaCounts {
  readonly active: number
  readonly fullyLabeled: number
  readonly ready: number
  readonly available: number
  readonly terminating: number
}

const failure = "ReplicaFailure"

/**
 * The conditions, with ReplicaFailure if the last sync failed. As upstream, an existing one stays as it is while syncs
 * fail.
 */
const failureCondition = (
  { spec, status }: ReplicaSet,
  active: number,
  error: string | undefined,
  nowMs: number
): ReadonlyArray<WorkloadCondition> => {
  const conditions = status?.conditions ?? []
  const known = conditions.find(({ type }) => type === failure)
  if (error === undefined)
    return known === undefined ? conditions : conditions.filter((condition) => condition !== known)
  if (known !== undefined) return conditions
  const reason = active < (spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete"
  return [
    ...conditions,
    { type: failure, status: "True", lastTransitionTime: formatTime(nowMs), reason, message: error }
  ]
}

/**
 * A set's new status; undefined if nothing has changed. `error` is the message of the failed sync. Upstream:
 * pkg/controller/replicaset/replica_set_utils.go.
 */
export const replicaSetStatus = (
  replicaSet: ReplicaSet,
  counts: ReplicaCounts,
  error: string | undefined,
  nowMs: number
): ReplicaSetStatus | undefined => {
  const { metadata, status } = replicaSet
  const conditions = failureCondition(replicaSet, counts.active, error, nowMs)
  const isSame =
    status !== undefined &&
    status.replicas === counts.active &&
    (status.fullyLabeledReplicas ?? 0) === counts.fullyLabeled &&
    (status.readyReplicas ?? 0) === counts.ready &&
    (status.availableReplicas ?? 0) === counts.available &&
    (status.terminatingReplicas ?? 0) === counts.terminating &&
    (status.observedGeneration ?? 0) === (metadata.generation ?? 0) &&
    conditions === (status.conditions ?? conditions)
  if (isSame) return undefined
  return {
    replicas: counts.active,
    ...unlessZero("fullyLabeledReplicas", counts.fullyLabeled),
    ...unlessZero("readyReplicas", counts.ready),
    ...unlessZero("availableReplicas", counts.available),
    terminatingReplicas: counts.terminating,
    ...unlessZero("observedGeneration", metadata.generation ?? 0),
    ...(conditions.length === 0 ? {} : { conditions })
  }
}
