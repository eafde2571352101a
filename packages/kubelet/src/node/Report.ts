/** The history of reports, which determines when an unchanged status is posted again. */
export interface ReportHistory {
  /** Undefined until the first report succeeded. */
  readonly lastReportMs: number | undefined
  /** Added to the report frequency, drawn again after each change. */
  readonly delayMs: number
}

/** The history of a kubelet that has posted no status yet. */
export const noReports: ReportHistory = { lastReportMs: undefined, delayMs: 0 }

/**
 * Whether an unchanged status has to be posted. Upstream: pkg/kubelet/kubelet_node_status.go
 * isUpdateStatusPeriodExpired.
 */
export const reportDue = ({ delayMs, lastReportMs }: ReportHistory, nowMs: number, frequencyMs: number): boolean =>
  lastReportMs === undefined || nowMs - lastReportMs >= frequencyMs + delayMs

/**
 * The delay after a report: up to half the frequency either way after a change and with the first report, so that a
 * fleet does not report in step; none after a periodic one, and none without periodic reports (Infinity).
 * Upstream: calculateDelay.
 */
export const reportDelay = (
  history: ReportHistory,
  changed: boolean,
  frequencyMs: number,
  random: () => number
): number => {
  const drawn = (changed || history.lastReportMs === undefined) && Number.isFinite(frequencyMs)
  return drawn ? frequencyMs * (random() - 0.5) : 0
}
