import { type ReportHistory, reportDelay, reportDue } from "./Report.ts"

/**
 * One update of the node status: up to five attempts, each a read of the Node (the first from the watch cache), the
 * setters, and a patch if something changed or the report period has passed.
 * Upstream: pkg/kubelet/kubelet_node_status.go updateNodeStatus, tryUpdateNodeStatus.
 */
export interface StatusPass {
  readonly history: ReportHistory
  /** The number of attempts, including the current one. */
  readonly attempt: number
}

/** What the driver does next. */
export type StatusPassAction =
  | { readonly type: "readCache" }
  | { readonly type: "readApi" }
  | { readonly type: "patch" }
  /** The update has ended: `failed` says that it was given up after five attempts. */
  | { readonly type: "end"; readonly patched: boolean; readonly failed: boolean }

/** What to do next, and the state to pass back with the outcome. */
export interface StatusPassStep {
  readonly state: StatusPass
  readonly action: StatusPassAction
  /** Whether this was a repeated failure, after which upstream closes its connections to the API server. */
  readonly heartbeatFailure: boolean
}

/** Upstream: pkg/kubelet/kubelet.go nodeStatusUpdateRetry. */
export const MAX_ATTEMPTS = 5

/** Returns the first step of an update. */
export const beginStatusPass = (history: ReportHistory): StatusPassStep => ({
  state: { history, attempt: 1 },
  action: { type: "readCache" },
  heartbeatFailure: false
})

const end = (state: StatusPass, patched: boolean): StatusPassStep => ({
  state,
  action: { type: "end", patched, failed: false },
  heartbeatFailure: false
})

/** Continues after a failed read or patch. */
export const statusAttemptFailed = (state: StatusPass): StatusPassStep => {
  const heartbeatFailure = state.attempt > 1
  if (state.attempt === MAX_ATTEMPTS) {
    return { state, action: { type: "end", patched: false, failed: true }, heartbeatFailure }
  }
  return { state: { ...state, attempt: state.attempt + 1 }, action: { type: "readApi" }, heartbeatFailure }
}

/** Returns which attempt waits at `nowMs`, and since when, if each since the one of `sentAtMs` has timed out. */
export const statusAttemptsTimedOut = (
  firstAttempt: number,
  sentAtMs: number,
  timeoutMs: number,
  nowMs: number
): { readonly attempt: number; readonly sentAtMs: number } => {
  let attempt = firstAttempt
  let at = sentAtMs
  while (attempt < MAX_ATTEMPTS && nowMs > at + timeoutMs) {
    at += timeoutMs
    attempt++
  }
  return { attempt, sentAtMs: at }
}

/**
 * Continues after the Node was read and the setters have run. `changed` says whether they changed something,
 * `frequencyMs` is the period of reports without a change, `random` returns numbers from 0 to 1.
 */
export const statusComputed = (
  state: StatusPass,
  changed: boolean,
  nowMs: number,
  frequencyMs: number,
  random: () => number
): StatusPassStep => {
  const { history } = state
  if (!changed && !reportDue(history, nowMs, frequencyMs)) return end(state, false)
  const delayMs = reportDelay(history, changed, frequencyMs, random)
  return {
    state: { ...state, history: { ...history, delayMs } },
    action: { type: "patch" },
    heartbeatFailure: false
  }
}

/** Continues after a successful patch. */
export const statusPatched = (state: StatusPass, nowMs: number): StatusPassStep =>
  end({ ...state, history: { ...state.history, lastReportMs: nowMs } }, true)
