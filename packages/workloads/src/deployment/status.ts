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

const findCondition = (conditions: Conditions, type: string) => conditions.find((condition) => condition.type === type)
const withoutCondition = (conditions: Conditions, type: string) =>
  conditions.filter((condition) => condition.type !== type)

/**
 * Sets a condition. Returns the same list if status and reason are unchanged, except with `refresh`, which updates
 * lastUpdateTime. Upstream: deployment_util.go SetDeploymentCondition.
 */
const withCondition = (
  conditions: Conditions,
  { message, reason, status, type }: Required<Pick<DeploymentCondition, "type" | "status" | "reason" | "message">>,
  nowText: string,
  refresh = false
): Conditions => {
  const current = findCondition(conditions, type)
  if (!refresh && current?.status === status && current.reason === reason) return conditions
  const lastTransitionTime = current?.status === status ? (current.lastTransitionTime ?? nowText) : nowText
  return [
    ...withoutCondition(conditions, type),
    { type, status, lastUpdateTime: nowText, lastTransitionTime, reason, message }
  ]
}

const sumOf = (
  sets: ReadonlyArray<ReplicaSet>,
  of: (status: NonNullable<ReplicaSet["status"]>) => number | undefined
) => sets.reduce((sum, { status }) => sum + (status === undefined ? 0 : (of(status) ?? 0)), 0)

/** The condition Available: whether enough replicas are available for the rollout's bounds. */
const availableCondition = (deployment: Deployment, available: number) => {
  const isAvailable = available >= replicasOf(deployment) - rolloutBounds(deployment).maxUnavailable
  return {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: isAvailable ? "Deployment has minimum availability." : "Deployment does not have minimum availability."
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

/**
 * The status of a deployment whose new set could not be created; the same object if the status says so already, or
 * without a progress deadline. Upstream: sync.go getNewReplicaSet.
 */
export const withCreateError = (deployment: Deployment, message: string, nowMs: number): Deployment["status"] => {
  const before = deployment.status ?? {}
  if (!hasProgressDeadline(deployment)) return deployment.status
  const condition = { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message } as const
  const conditions = withCondition(before.conditions ?? [], condition, formatTime(nowMs))
  return conditions === before.conditions ? deployment.status : { ...before, conditions }
}

/** Whether new replicas were created, old ones deleted, or any became ready or available. */
const hasProgressed = (before: Counts, after: Counts): boolean =>
  after.updatedReplicas > before.updatedReplicas ||
  after.replicas - after.updatedReplicas < before.replicas - before.updatedReplicas ||
  after.readyReplicas > before.readyReplicas ||
  after.availableReplicas > before.availableReplicas

/** Whether a rollout can time out: as upstream, the largest 32-bit integer as deadline means that it cannot. */
export const hasProgressDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2_147_483_647

/**
 * When a rollout in progress exceeds its deadline, in milliseconds since the Unix epoch; NaN if none is in progress or
 * it has no deadline.
 */
export const progressDeadlineMs = (deployment: Deployment): number => {
  const condition = findCondition(deployment.status?.conditions ?? [], "Progressing")
  const isOver = condition?.reason === "NewReplicaSetAvailable" || condition?.reason === "ProgressDeadlineExceeded"
  if (!hasProgressDeadline(deployment) || isOver || condition?.lastUpdateTime === undefined) return Number.NaN
  return parseTime(condition.lastUpdateTime) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000
}

/**
 * Sets or removes the condition Progressing, from the counts before and now. Upstream: progress.go syncRolloutStatus.
 */
const withProgress = (
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  conditions: Conditions,
  counts: Counts,
  nowMs: number
): Conditions => {
  const current = findCondition(conditions, "Progressing")
  if (!hasProgressDeadline(deployment)) return withoutCondition(conditions, "Progressing")
  if (counts.replicas === counts.updatedReplicas && current?.reason === "NewReplicaSetAvailable") return conditions
  const subject =
    newest === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newest.metadata.name}"`
  const withProgressing = (status: "True" | "False", reason: string, text: string, refresh = false) =>
    withCondition(
      conditions,
      { type: "Progressing", status, reason, message: `${subject} ${text}` },
      formatTime(nowMs),
      refresh
    )
  if (isComplete(deployment, counts))
    return withProgressing("True", "NewReplicaSetAvailable", "has successfully progressed.")
  if (hasProgressed(countsOf(deployment.status), counts)) {
    return withProgressing("True", "ReplicaSetUpdated", "is progressing.", true)
  }
  if (progressDeadlineMs(deployment) < nowMs || current?.reason === "ProgressDeadlineExceeded") {
    return withProgressing("False", "ProgressDeadlineExceeded", "has timed out progressing.")
  }
  return conditions
}

/**
 * Sets the condition Progressing when a deployment is paused or resumed: pausing stops the progress deadline, and
 * resuming restarts it. Upstream: sync.go checkPausedConditions.
 */
const withPause = (deployment: Deployment, conditions: Conditions, nowText: string): Conditions => {
  const current = findCondition(conditions, "Progressing")
  if (!hasProgressDeadline(deployment) || current?.reason === "ProgressDeadlineExceeded") return conditions
  const saysPaused = current?.reason === "DeploymentPaused"
  const isPaused = deployment.spec.paused === true
  if (saysPaused === isPaused) return conditions
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

/** Copies the condition ReplicaFailure from the first set that has it; removes it if none has. */
const withReplicaFailure = (conditions: Conditions, newest: ReplicaSet | undefined, old: ReadonlyArray<ReplicaSet>) => {
  for (const replicaSet of newest === undefined ? old : [newest, ...old]) {
    const failure = findCondition(replicaSet.status?.conditions ?? [], "ReplicaFailure")
    if (failure === undefined) continue
    const current = findCondition(conditions, "ReplicaFailure")
    if (current?.status === failure.status && current.reason === failure.reason) return conditions
    const { lastTransitionTime = "" } = failure
    return [...withoutCondition(conditions, "ReplicaFailure"), { ...failure, lastUpdateTime: lastTransitionTime }]
  }
  return findCondition(conditions, "ReplicaFailure") === undefined
    ? conditions
    : withoutCondition(conditions, "ReplicaFailure")
}

/** Whether two statuses are equal. Conditions are compared by identity: unchanged ones are kept as the same objects. */
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
 * Returns a deployment's new status; undefined if it is unchanged. `newest` is the set of the current template, `old`
 * are all others; `created` says whether the newest set was created just now. Upstream:
 * pkg/controller/deployment/{sync,progress}.go.
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
  const available = sumOf(all, ({ availableReplicas }) => availableReplicas)
  const desired = all.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0)
  const counts: Counts = {
    replicas: sumOf(all, ({ replicas }) => replicas),
    updatedReplicas: sumOf(newest === undefined ? [] : [newest], ({ replicas }) => replicas),
    readyReplicas: sumOf(all, ({ readyReplicas }) => readyReplicas),
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
  const isFoundUnreported =
    newest !== undefined && hasProgressDeadline(deployment) && findCondition(conditions, "Progressing") === undefined
  if (isFoundUnreported) {
    const message = `Found new replica set "${newest.metadata.name}"`
    const condition = { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message } as const
    conditions = withCondition(conditions, condition, nowText)
  }
  conditions = withCondition(conditions, availableCondition(deployment, available), nowText)
  if (deployment.spec.paused !== true) conditions = withProgress(deployment, newest, conditions, counts, nowMs)
  conditions = withReplicaFailure(conditions, newest, old)
  const status: DeploymentStatus = {
    ...unlessZero("observedGeneration", deployment.metadata.generation ?? 0),
    ...unlessZero("replicas", counts.replicas),
    ...unlessZero("updatedReplicas", counts.updatedReplicas),
    ...unlessZero("readyReplicas", counts.readyReplicas),
    ...unlessZero("availableReplicas", counts.availableReplicas),
    ...unlessZero("unavailableReplicas", Math.max(0, desired - available)),
    terminatingReplicas: sumOf(all, ({ terminatingReplicas }) => terminatingReplicas),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount })
  }
  return sameStatus(before, status) ? undefined : status
}
