import { formatTime, type Node, type NodeCondition } from "@rollcall/api"
import { withHeartbeatTimes } from "@rollcall/cluster"
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

export interface UnchangedStatus {
  readonly env: Env
  readonly inputs: Pick<NodeInputs, "isShuttingDown" | "nextChangeMs" | "observe">
  readonly history: ReportHistory
  readonly node: Node
  readonly now: number
}

/** A report that only sets the heartbeat times of these conditions. */
export type DueReport = ReadonlyArray<number>

/** Returns the report of a Node that is up to date, if it is due now; undefined if it is not, or has more to say. */
export const dueReport = ({ env, history, inputs, node, now }: UnchangedStatus): DueReport | undefined => {
  const { config, release } = env
  if (inputs.isShuttingDown || history.lastReportMs === undefined) return undefined
  if (!reportDue(history, now, config.nodeStatusReportFrequencyMs)) return undefined
  return heartbeatIndexes(node.status?.conditions ?? [], release.kubeletConditions, inputs.observe(now))
}

/**
 * Posts a report by the connection's short way for it: only heartbeat times differ, so that nothing has to be computed, compared
 * and merged. Returns the Node as it was stored; undefined if it has posted nothing.
 */
export const postReport = (env: Env, node: Node, report: DueReport): Node | undefined => {
  const conditions = node.status?.conditions ?? []
  const time = env.wallTime()
  if (report.every((index) => conditions[index]?.lastHeartbeatTime === time)) return undefined
  return env.connection.heartbeats?.postHeartbeats(node, withHeartbeatTimes(node, report, time))
}

/** A Node whose next report, and each after that, only sets heartbeat times. */
export interface AlikeReports {
  readonly node: Node
  /** The indexes of the conditions whose heartbeat times are set. */
  readonly indexes: ReadonlyArray<number>
  readonly lastReportMs: number
}

/**
 * Returns the reports of a Node that is up to date, and whose inputs do not change by themselves; undefined if one may set
 * more than a time. The Node must show the last report: its state before a report is rebuilt from the time of that.
 */
export const alikeReports = ({ env, history, inputs, node, now }: UnchangedStatus): AlikeReports | undefined => {
  const { lastReportMs } = history
  if (env.connection.heartbeats === undefined || lastReportMs === undefined || !reportsAreAlike(env)) return undefined
  if (inputs.isShuttingDown || inputs.nextChangeMs(now) !== Number.POSITIVE_INFINITY) return undefined
  const conditions = node.status?.conditions ?? []
  const indexes = heartbeatIndexes(conditions, env.release.kubeletConditions, inputs.observe(now))
  const time = formatTime(lastReportMs)
  if (indexes?.every((index) => conditions[index]?.lastHeartbeatTime === time) !== true) return undefined
  return { node, indexes, lastReportMs }
}

/** The shortest period of reports that columns make: shorter ones may have the same time, which has whole seconds. */
export const SHORTEST_PERIOD_MS = 1000

/** Whether, while no input changes, each report only sets its time, which differs from the last one. */
const reportsAreAlike = ({ clockSkewMs, config, model }: Env): boolean =>
  clockSkewMs === 0 && model.statusJitter > 0 && config.nodeStatusReportFrequencyMs >= SHORTEST_PERIOD_MS
