import type { Node, NodeCondition } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { NodeInputs } from "./NodeInputs.ts"
import { isPressure, type NodeObservation } from "./NodeStatusOf.ts"
import { type ReportHistory, reportDue } from "./Report.ts"

/** Returns the indexes of the conditions whose heartbeat times the setters update; undefined if one does not exist. */
const heartbeatIndexes = (
  conditions: ReadonlyArray<NodeCondition>,
  types: ReadonlyArray<NodeCondition["type"]>,
  observed: NodeObservation
): ReadonlyArray<number> | undefined => {
  const indexes = [conditions.findIndex(({ type }) => type === "Ready")]
  for (const kind of types) {
    if (isPressure(kind, observed)) indexes.push(conditions.findLastIndex(({ type }) => type === kind))
  }
  if (observed.networkUnavailable !== undefined) {
    indexes.push(conditions.findIndex(({ type }) => type === "NetworkUnavailable"))
  }
  return indexes.includes(-1) ? undefined : indexes
}

/** Returns the Node with new heartbeat times; undefined if those do not differ. */
const withHeartbeats = (
  node: Node,
  types: ReadonlyArray<NodeCondition["type"]>,
  observed: NodeObservation,
  now: string
): Node | undefined => {
  const conditions = [...(node.status?.conditions ?? [])]
  const indexes = heartbeatIndexes(conditions, types, observed)
  if (indexes === undefined || indexes.every((index) => conditions[index]?.lastHeartbeatTime === now)) return undefined
  for (const index of indexes) conditions[index] = { ...(conditions[index] as NodeCondition), lastHeartbeatTime: now }
  return { ...node, status: { ...node.status, conditions } }
}

export interface UnchangedStatus {
  readonly env: Env
  readonly inputs: Pick<NodeInputs, "isShuttingDown" | "observe">
  readonly history: ReportHistory
  readonly node: Node
  readonly now: number
}

/**
 * Posts the status of a Node that is up to date, if its periodic report is due, by the connection's short way for that:
 * only heartbeat times differ, so that nothing has to be computed, compared and merged. Returns the stored Node; undefined
 * if it has posted nothing.
 */
export const postUnchanged = ({ env, history, inputs, node, now }: UnchangedStatus): Node | undefined => {
  const { config, connection, release } = env
  if (connection.renewals === undefined || inputs.isShuttingDown || history.lastReportMs === undefined) return undefined
  if (!reportDue(history, now, config.nodeStatusReportFrequencyMs)) return undefined
  const next = withHeartbeats(node, release.kubeletConditions, inputs.observe(now), env.wallTime())
  return next && connection.renewals.postHeartbeats(node, next)
}
