import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  formatTime,
  parseTime,
  type ReplicaSet
} from "@rollcall/api"
import { unlessZero } from "../unlessZero.ts"
import { replicasOf, rolloutBounds } from "./bounds.ts"
import { sizeOf } from "./rollout.ts"

type Conditions = ReadonlyArray<DeploymentCondition>

const find = (conditions: Conditions, type: string) => conditions.find((condition) => condition.type === type)
const without = (conditions: Conditions, type: string) => conditions.filter((condition) => condition.type !== type)

/**
 * Sets a condition; an equal one is kept with its times, unless `refresh`. Upstream: deployment_util.go
 * SetDeploymentCondition.
 */
const withCondition = (
  conditions: Conditions,
  { message, reason, status, type }: Required<Pick<DeploymentCondition, "type" | "status" | "reason" | "message">>,
  nowText: string,
  refresh = false
): Conditions => {
  const known = find(conditions, type)
  if (!refresh && known?.status === status && known.reason === reason) return conditions
  const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? nowText) : nowText
  return [...without(conditions, type), { type, status, lastUpdateTime: nowText, lastTransitionTime, reason, message }]
}

const total = (
  sets: ReadonlyArray<ReplicaSet>,
  of: (status: NonNullable<ReplicaSet["status"]>) => number | undefined
) => sets.reduce((sum, { status }) => sum + (status === undefined ? 0 : (of(status) ?? 0)), 0)

const availability = (deployment: Deployment, available: number) => {
  const enough = available >= replicasOf(deployment) - rolloutBounds(deployment).maxUnavailable
  return {
    type: "Available",
    status: enough ? "True" : "False",
    reason: enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability."
  }
}

type Counts = Required<Pick<DeploymentStatus, "replicas" | "updatedReplicas" | "readyReplicas" | "availableReplicas">>

const countsOf = (status: DeploymentStatus | undefined): Counts => ({
  replicas: status?.replicas ?? 0,
  updatedReplicas: status?.updatedReplicas ?? 0,
  readyReplicas: status?.readyReplicas ?? 0,
  availableReplicas: status?.availableReplicas ?? 0
})

const isComplete = (deployment: Deployment, counts: Counts): boolean =>
  counts.updatedReplicas === replicasOf(deployment) &&
  counts.replicas === replicasOf(deployment) &&
  counts.availableReplicas === replicasOf(deployment)

/** Whether the rollout was complete when the status was last written. Upstream: DeploymentComplete. */
export const isRolledOut = (deployment: Deployment): boolean =>
  isComplete(deployment, countsOf(deployment.status)) &&
  (deployment.status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)

/** The status of a deployment whose new set could not be created. Upstream: sync.go getNewReplicaSet. */
export const withCreateError = (deployment: Deployment, message: string, nowMs: number): Deployment["status"] => {
  const before = deployment.status ?? {}
  if (!hasProgressDeadline(deployment)) return deployment.status
  const said = { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message } as const
  const conditions = withCondition(before.conditions ?? [], said, formatTime(nowMs))
  return conditions === before.conditions ? deployment.status : { ...before, conditions }
}

const hasProgressed = (before: Counts, after: Counts): boolean =>
  after.updatedReplicas > before.updatedReplicas ||
  after.replicas - after.updatedReplicas < before.replicas - before.updatedReplicas ||
  after.readyReplicas > before.readyReplicas ||
  after.availableReplicas > before.availableReplicas

/** Upstream: an unset deadline is the largest integer. */
export const hasProgressDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2_147_483_647

/** When a rollout in progress exceeds its deadline. */
export const progressDeadlineMs = (deployment: Deployment): number => {
  const condition = find(deployment.status?.conditions ?? [], "Progressing")
  const settled = condition?.reason === "NewReplicaSetAvailable" || condition?.reason === "ProgressDeadlineExceeded"
  if (!hasProgressDeadline(deployment) || settled || condition?.lastUpdateTime === undefined) return Number.NaN
  return parseTime(condition.lastUpdateTime) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000
}

const withProgress = (
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  conditions: Conditions,
  counts: Counts,
  nowMs: number
): Conditions => {
  const known = find(conditions, "Progressing")
  if (!hasProgressDeadline(deployment)) return without(conditions, "Progressing")
  if (counts.replicas === counts.updatedReplicas && known?.reason === "NewReplicaSetAvailable") return conditions
  const subject =
    newest === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newest.metadata.name}"`
  const progressing = (status: "True" | "False", reason: string, text: string, refresh = false) =>
    withCondition(
      conditions,
      { type: "Progressing", status, reason, message: `${subject} ${text}` },
      formatTime(nowMs),
      refresh
    )
  if (isComplete(deployment, counts))
    return progressing("True", "NewReplicaSetAvailable", "has successfully progressed.")
  if (hasProgressed(countsOf(deployment.status), counts)) {
    return progressing("True", "ReplicaSetUpdated", "is progressing.", true)
  }
  if (progressDeadlineMs(deployment) < nowMs || known?.reason === "ProgressDeadlineExceeded") {
    return progressing("False", "ProgressDeadlineExceeded", "has timed out progressing.")
  }
  return conditions
}

/** Pausing stops the progress deadline, and resuming restarts it. Upstream: sync.go checkPausedConditions. */
const withPause = (deployment: Deployment, conditions: Conditions, nowText: string): Conditions => {
  const known = find(conditions, "Progressing")
  if (!hasProgressDeadline(deployment) || known?.reason === "ProgressDeadlineExceeded") return conditions
  const isNoted = known?.reason === "DeploymentPaused"
  const isPaused = deployment.spec.paused === true
  if (isNoted === isPaused) return conditions
  return withCondition(
    conditions,
    {
      type: "Progressing",
      status: "Unknown",
      reason: isPaused ? "DeploymentPaused" : "DeploymentResumed",
      message: isPaused ? "Deployment is paused" : "Deployment is resumed"
    },
    nowText
  )
}

const withFailures = (conditions: Conditions, newest: ReplicaSet | undefined, old: ReadonlyArray<ReplicaSet>) => {
  for (const replicaSet of newest === undefined ? old : [newest, ...old]) {
    const failure = find(replicaSet.status?.conditions ?? [], "ReplicaFailure")
    if (failure === undefined) continue
    const known = find(conditions, "ReplicaFailure")
    if (known?.status === failure.status && known.reason === failure.reason) return conditions
    const { lastTransitionTime = "" } = failure
    return [...without(conditions, "ReplicaFailure"), { ...failure, lastUpdateTime: lastTransitionTime }]
  }
  return find(conditions, "ReplicaFailure") === undefined ? conditions : without(conditions, "ReplicaFailure")
}

const sameStatus = (left: DeploymentStatus, right: DeploymentStatus): boolean => {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]) as ReadonlySet<keyof DeploymentStatus>
  for (const key of keys) {
    if (key === "conditions") {
      const [a, b] = [left.conditions ?? [], right.conditions ?? []]
      if (a.length !== b.length || a.some((condition, index) => condition !== b[index])) return false
    } else if (left[key] !== right[key]) return false
  }
  return true
}

/**
 * A deployment's new status; undefined if it is unchanged. `created`: the newest set was just created.
 * Upstream: pkg/controller/deployment/{sync,progress}.go.
 */
export const deploymentStatus = (
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  old: ReadonlyArray<ReplicaSet>,
  nowMs: number,
  created = false
): DeploymentStatus | undefined => {
  const all = newest === undefined ? old : [...old, newest]
  const before = deployment.status ?? {}
  const available = total(all, ({ availableReplicas }) => availableReplicas)
  const wanted = all.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0)
  const counts: Counts = {
    replicas: total(all, ({ replicas }) => replicas),
    updatedReplicas: total(newest === undefined ? [] : [newest], ({ replicas }) => replicas),
    readyReplicas: total(all, ({ readyReplicas }) => readyReplicas),
    availableReplicas: available
  }
  const nowText = formatTime(nowMs)
  let conditions: Conditions = withPause(deployment, before.conditions ?? [], nowText)
  if (created && hasProgressDeadline(deployment)) {
    const message = `Created new replica set "${newest?.metadata.name}"`
    conditions = withCondition(
      conditions,
      { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message },
      nowText
    )
  }
  const isNews =
    newest !== undefined && hasProgressDeadline(deployment) && find(conditions, "Progressing") === undefined
  if (isNews) {
    const message = `Found new replica set "${newest.metadata.name}"`
    const said = { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message } as const
    conditions = withCondition(conditions, said, nowText)
  }
  conditions = withCondition(conditions, availability(deployment, available), nowText)
  if (deployment.spec.paused !== true) conditions = withProgress(deployment, newest, conditions, counts, nowMs)
  conditions = withFailures(conditions, newest, old)
  const status: DeploymentStatus = {
    ...unlessZero("observedGeneration", deployment.metadata.generation ?? 0),
    ...unlessZero("replicas", counts.replicas),
    ...unlessZero("updatedReplicas", counts.updatedReplicas),
    ...unlessZero("readyReplicas", counts.readyReplicas),
    ...unlessZero("availableReplicas", counts.availableReplicas),
    ...unlessZero("unavailableReplicas", Math.max(0, wanted - available)),
    terminatingReplicas: total(all, ({ terminatingReplicas }) => terminatingReplicas),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount })
  }
  return sameStatus(before, status) ? undefined : status
}
