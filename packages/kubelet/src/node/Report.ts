/** The history of reports, which determines when an unchanged status is posted again. */
export interface ReportHistory {
  /** The time of the last successful report; undefined before the first. */
  readonly lastReportMs: number | undefined
  /** The random delay that is added to the report period. It is drawn again after each change. */
  readonly delayMs: number
}

/** The history of a kubelet that has posted no status yet. */
export const noReports: ReportHistory = { lastReportMs: undefined, delayMs: 0 }

/**
 * Whether an unchanged status has to be posted. `frequencyMs` is the report period. Upstream:
 * pkg/kubelet/kubelet_node_status.go isUpdateStatusPeriodExpired.
 */
export const reportDue = ({ delayMs, lastReportMs }: ReportHistory, nowMs: number, frequencyMs: number): boolean =>
  lastReportMs === undefined || nowMs - lastReportMs >= frequencyMs + delayMs

/** Returns when an unchanged status has to be posted next; undefined if that is now. */
export const nextReportMs = ({ delayMs, lastReportMs }: ReportHistory, frequencyMs: number): number | undefined =>
  lastReportMs === undefined ? undefined : lastReportMs + frequencyMs + delayMs

/**
 * Returns the delay of the next periodic report. After a change, and after the first report, it is random, up to half
 * the period either way, so that the nodes of a cluster do not report at the same time. It is 0 after a periodic
 * report, and if there are none (`frequencyMs` is Infinity). Upstream: pkg/kubelet/kubelet_node_status.go
 * calculateDelay.
 */
export const reportDelay = (
  history: ReportHistory,
  changed: boolean,
  frequencyMs: number,
  random: () => number
): number => {
  const isRandom = (changed || history.lastReportMs === undefined) && Number.isFinite(frequencyMs)
  return isRandom ? frequencyMs * (random() - 0.5) : 0
}
