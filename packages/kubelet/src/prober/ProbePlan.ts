import type { Probe } from "@rollcall/api"
import { nextChange, type ProbeKind, type ProbeOutcome, passesAt } from "../runtime/ProbeOutcomes.ts"

/** When a container is checked, in milliseconds since the container's start. */
export interface ProbeTiming {
  readonly periodMs: number
  /** The time of the first check. */
  readonly firstMs: number
  readonly successThreshold: number
  readonly failureThreshold: number
}

/** The state of the checks of one kind. */
export interface ProbeState {
  /** The result that counts, because a threshold was reached; undefined before that for a startup probe. */
  readonly result: boolean | undefined
  /** Whether the last check passed; undefined before the first check. */
  readonly last: boolean | undefined
  /** The number of checks in a row with the same outcome as the last. */
  readonly streak: number
  /** The time of the next check, in milliseconds since the container's start. */
  readonly nextMs: number
}

/** A check that changes the result, or that failed and is reported. */
export interface ProbeStep {
  readonly atMs: number
  readonly passed: boolean
  /** Whether the result differs from the previous one. */
  readonly changed: boolean
  readonly state: ProbeState
}

const DEFAULT_PERIOD_SECONDS = 10
const DEFAULT_FAILURE_THRESHOLD = 3
/** The recorder drops further Events about one object, but for one in five minutes. Upstream: client-go/tools/record/events_cache.go. */
const REPORTED_FAILURES = 25

/**
 * Returns when a probe's checks run: every period since the container's start, from the initial delay on. `enabledMs`
 * is when the container counted as started, in milliseconds since its start; a readiness probe that waited for that
 * runs its first check at once.
 */
export const probeTiming = (kind: ProbeKind, probe: Probe, enabledMs: number): ProbeTiming => {
  const periodMs = Math.max(1, probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS) * 1000
  const delayMs = (probe.initialDelaySeconds ?? 0) * 1000
  const onGrid = (ms: number): number => Math.ceil(ms / periodMs) * periodMs
  return {
    periodMs,
    firstMs: kind === "readiness" && enabledMs > delayMs ? enabledMs : onGrid(Math.max(delayMs, enabledMs)),
    successThreshold: Math.max(1, probe.successThreshold ?? 1),
    failureThreshold: Math.max(1, probe.failureThreshold ?? DEFAULT_FAILURE_THRESHOLD)
  }
}

/** Returns the state before the first check: not ready, live, and for a startup probe neither passed nor failed. */
export const initialProbeState = (kind: ProbeKind, { firstMs }: ProbeTiming): ProbeState => ({
  result: kind === "startup" ? undefined : kind === "liveness",
  last: undefined,
  streak: 0,
  nextMs: firstMs
})

const stateAfterCheck = (state: ProbeState, timing: ProbeTiming, passed: boolean): ProbeState => {
  const streak = state.last === passed ? state.streak + 1 : 1
  const threshold = passed ? timing.successThreshold : timing.failureThreshold
  return {
    result: streak >= threshold ? passed : state.result,
    last: passed,
    streak,
    nextMs: state.nextMs + timing.periodMs
  }
}

/**
 * Returns the next check that changes the result or, with `reports`, that is one of the first failures in a row or passes
 * with a warning. Returns undefined if nothing changes any more. The checks in between are computed here, not run. Upstream:
 * pkg/kubelet/prober/worker.go doProbe.
 */
export const nextProbeStep = (
  timing: ProbeTiming,
  outcome: ProbeOutcome,
  from: ProbeState,
  reports: boolean
): ProbeStep | undefined => {
  // After this many equal outcomes in a row, further ones change nothing.
  const saturation = Math.max(timing.successThreshold, timing.failureThreshold)
  let state = from
  for (;;) {
    const atMs = state.nextMs
    const passed = passesAt(outcome, atMs)
    const after = stateAfterCheck(state, timing, passed)
    const changed = after.result !== state.result
    const isReported = passed ? outcome.redirects === true : after.streak <= REPORTED_FAILURES
    if (changed || (reports && isReported)) {
      return { atMs, passed, changed, state: after }
    }
    state = after
    if (state.streak < saturation) continue
    // Nothing changes until the outcome of the checks does.
    const changeMs = nextChange(outcome, atMs)
    if (changeMs === undefined || changeMs === Number.POSITIVE_INFINITY) return undefined
    const skipped = Math.max(0, Math.ceil((changeMs - state.nextMs) / timing.periodMs))
    state = { ...state, nextMs: state.nextMs + skipped * timing.periodMs }
  }
}
