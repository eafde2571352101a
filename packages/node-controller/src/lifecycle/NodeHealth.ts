import {
  formatTime,
  getNodeCondition,
  type Lease,
  type Node,
  type NodeCondition,
  type NodeStatus,
  nodeReady,
  parseTime
} from "@rollcall/api"

/**
 * The controller's record of a node's signs of life, with times by the controller's clock. Upstream: nodeHealthData.
 */
export interface NodeHealth {
  /** The status at the last sign of life; the pod worker uses it too. */
  readonly status: NodeStatus
  /** When a change of the heartbeat or the lease was last seen. */
  readonly probeMs: number
  /** When a transition of Ready was last seen, or written by this controller. */
  readonly readyTransitionMs: number
  readonly lease: Lease | undefined
}

/** The grace periods, and the conditions that they affect. */
export interface HealthRules {
  readonly nodeMonitorGracePeriodMs: number
  /** The grace period of a node without a Ready condition. */
  readonly nodeStartupGracePeriodMs: number
  /**
   * Conditions that turn Unknown, in order. Those that the control plane sets, such as NetworkUnavailable, are never
   * among them.
   */
  readonly staleConditions: ReadonlyArray<NodeCondition["type"]>
}

export interface HealthJudgement {
  /** The new record of the node; it replaces the old one at once, whatever the outcome of the write. */
  readonly health: NodeHealth
  /** The node's status, with conditions turned to Unknown after too long a silence. */
  readonly status: NodeStatus
  /** Whether the status must be written because Ready changed; `afterStatusWrite` is then the new record. */
  readonly mustWrite: boolean
  /** The Ready condition before this check; a condition with status Unknown if the node has none. */
  readonly observed: NodeCondition
  /** The Ready condition after this check; undefined if the node has none. */
  readonly current: NodeCondition | undefined
}

/** Whether two API times are the same instant. One server writes equal instants as equal texts, so parsing is rare. */
export const sameInstant = (left: string | undefined, right: string | undefined): boolean =>
  left === right || (left !== undefined && right !== undefined && parseTime(left) === parseTime(right))

/** Whether an API time is before another; a missing time is neither before nor after. */
export const isBefore = (left: string | undefined, right: string | undefined): boolean => {
  if (left === undefined || right === undefined || left === right) return false
  // UTC times of equal length have their digits at the same places, so text order is time order.
  if (left.length === right.length && left.endsWith("Z") && right.endsWith("Z")) return left < right
  return parseTime(left) < parseTime(right)
}

const creationMs = (node: Node): number => {
  const created = node.metadata.creationTimestamp
  return created === undefined ? 0 : parseTime(created)
}

/**
 * The lease counts as a sign of life the first time it is seen, however old, and then whenever its renewTime
 * increases.
 */
export const isSignOfLife = (savedLease: Lease | undefined, lease: Lease | undefined): lease is Lease =>
  lease !== undefined && (savedLease === undefined || isBefore(savedLease.spec?.renewTime, lease.spec?.renewTime))

/**
 * The record after the status was checked, and before the lease is. A changed heartbeat drops the recorded lease, so
 * that the same lease may count as a sign of life once more.
 */
const recordStatus = (
  node: Node,
  status: NodeStatus,
  current: NodeCondition | undefined,
  known: NodeHealth | undefined,
  now: number
): NodeHealth => {
  if (current === undefined) {
    // Never posted, or removed: keep the times, or start from creation.
    if (known !== undefined) return { ...known, status }
    const created = creationMs(node)
    return { status, probeMs: created, readyTransitionMs: created, lease: undefined }
  }
  const saved = known === undefined ? undefined : getNodeCondition(known, nodeReady)
  if (known === undefined || saved === undefined) {
    return { status, probeMs: now, readyTransitionMs: now, lease: undefined }
  }
  if (sameInstant(saved.lastHeartbeatTime, current.lastHeartbeatTime)) return known
  const transitioned = !sameInstant(saved.lastTransitionTime, current.lastTransitionTime)
  return { status, probeMs: now, readyTransitionMs: transitioned ? now : known.readyTransitionMs, lease: undefined }
}

const isSameButHeartbeat = (left: NodeCondition, right: NodeCondition | undefined): boolean =>
  left.type === right?.type &&
  left.status === right.status &&
  left.reason === right.reason &&
  left.message === right.message &&
  left.lastTransitionTime === right.lastTransitionTime

/**
 * Whether a version of a node brings a later heartbeat and nothing else that a check reads. The parts that versions share
 * are compared by identity, so that the answer may be false for equal ones.
 */
export const differsInHeartbeats = (before: Node, node: Node): boolean => {
  const [old, next] = [before.status?.conditions ?? [], node.status?.conditions ?? []]
  const [beat, nextBeat] = [getNodeCondition(before, nodeReady), getNodeCondition(node, nodeReady)]
  return (
    before.spec === node.spec &&
    before.metadata.labels === node.metadata.labels &&
    before.metadata.uid === node.metadata.uid &&
    beat !== undefined &&
    !sameInstant(beat.lastHeartbeatTime, nextBeat?.lastHeartbeatTime) &&
    old.length === next.length &&
    old.every((condition, index) => isSameButHeartbeat(condition, next[index]))
  )
}

/** The condition with status Unknown, as the controller writes it for a silent kubelet. */
const unknownCondition = (
  node: Node,
  type: string,
  current: NodeCondition | undefined,
  nowText: string
): NodeCondition => {
  if (current !== undefined) {
    return {
      ...current,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime: nowText
    }
  }
  const created = node.metadata.creationTimestamp
  return {
    type,
    status: "Unknown",
    ...(created === undefined ? {} : { lastHeartbeatTime: created }),
    lastTransitionTime: nowText,
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status."
  }
}

/** The status with the kubelet's conditions turned to Unknown; the same object when they all are. */
const withUnknownConditions = (
  node: Node,
  status: NodeStatus,
  types: HealthRules["staleConditions"],
  nowText: string
): NodeStatus => {
  let conditions: Array<NodeCondition> | undefined
  for (const type of types) {
    const list: ReadonlyArray<NodeCondition> = conditions ?? status.conditions ?? []
    const index = list.findIndex((condition) => condition.type === type)
    const current = list[index]
    if (current?.status === "Unknown") continue
    conditions ??= [...list]
    const unknown = unknownCondition(node, type, current, nowText)
    if (index < 0) conditions.push(unknown)
    else conditions[index] = unknown
  }
  return conditions === undefined ? status : { ...status, conditions }
}

/** The condition that stands for Ready on a node that has none: Unknown since its creation. */
const missingReadyCondition = (node: Node): NodeCondition => {
  const created = node.metadata.creationTimestamp
  return {
    type: nodeReady,
    status: "Unknown",
    ...(created === undefined ? {} : { lastHeartbeatTime: created, lastTransitionTime: created })
  }
}

/**
 * Updates the health of one node from its status and its lease, against the record. The node's clock is never compared
 * with `now`: only a change counts, at the time it is seen.
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth.
 */
export const judgeNodeHealth = (
  node: Node,
  lease: Lease | undefined,
  known: NodeHealth | undefined,
  now: number,
  rules: HealthRules
): HealthJudgement => {
  const status: NodeStatus = node.status ?? {}
  const current = getNodeCondition(node, nodeReady)
  const observed = current ?? missingReadyCondition(node)
  const recorded = recordStatus(node, status, current, known, now)
  // The lease is compared with the record from before the status was recorded, even if the new record has just dropped
  // it.
  const health = isSignOfLife(known?.lease, lease) ? { ...recorded, probeMs: now, lease } : recorded
  const graceMs = current === undefined ? rules.nodeStartupGracePeriodMs : rules.nodeMonitorGracePeriodMs
  if (now <= health.probeMs + graceMs) return { health, status, mustWrite: false, observed, current }

  const unknownStatus = withUnknownConditions(node, status, rules.staleConditions, formatTime(now))
  // Only a change of Ready is written: other conditions that turn stale later stay unchanged in the API.
  const mustWrite = current === undefined || current.status !== "Unknown"
  return {
    // A record that was just set to this status gets the changed conditions too.
    health: recorded === known ? health : { ...health, status: unknownStatus },
    status: unknownStatus,
    mustWrite,
    observed,
    current: getNodeCondition({ status: unknownStatus }, nodeReady)
  }
}

/** The record after the status was written. */
export const afterStatusWrite = (judgement: HealthJudgement, lease: Lease | undefined, now: number): NodeHealth => ({
  status: judgement.status,
  probeMs: judgement.health.probeMs,
  readyTransitionMs: now,
  lease
})
