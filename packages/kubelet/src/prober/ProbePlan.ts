import type { Probe } from "@rollcall/api"
import { nextTurn, type ProbeKind, type ProbeOutcome, passesAt } from "../runtime/ProbeOutcomes.ts"

/** When a container is checked. Times are milliseconds since the container's start. */
export interface ProbeTiming {
  readonly periodMs: number
  /** The first check. */
  readonly firstMs: number
  readonly successThreshold: number
  readonly failureThreshold: number
}

/** Where the checks of one kind stand. */
export interface ProbeState {
  /** What counts; undefined while nothing has been decided. */
  readonly result: boolean | undefined
  readonly last: boolean | undefined
  /** How often in a row the last outcome was seen. */
  readonly run: number
  readonly nextMs: number
}

/** A check that changes something, or that failed and is told of. */
export interface ProbeStep {
  readonly atMs: number
  readonly passed: boolean
  /** The result is another than before. */
  readonly changed: boolean
  readonly state: ProbeState
}

const DEFAULT_PERIOD_SECONDS = 10
const DEFAULT_FAILURE_THRESHOLD = 3

/**
 * Checks are made on a grid of the period that begins with the container, from the initial delay on. `enabledMs`: when the
 * container counted as started; a readiness probe that waited for that looks at once.
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

/** Until the first check, a container is not ready, lives, and has not been decided to have started. */
export const initialProbeState = (kind: ProbeKind, { firstMs }: ProbeTiming): ProbeState => ({
  result: kind === "startup" ? undefined : kind === "liveness",
  last: undefined,
  run: 0,
  nextMs: firstMs
})

const checked = (state: ProbeState, timing: ProbeTiming, passed: boolean): ProbeState => {
  const run = state.last === passed ? state.run + 1 : 1
  const threshold = passed ? timing.successThreshold : timing.failureThreshold
  return {
    result: run >= threshold ? passed : state.result,
    last: passed,
    run,
    nextMs: state.nextMs + timing.periodMs
  }
}

/**
 * The next check that matters: one that changes the result, or, with `tellFailures`, one of the failures up to the threshold.
 * Undefined: from now on all is as it is. Checks in between are worked out, not waited for.
 * Upstream: pkg/kubelet/prober/worker.go doProbe.
 */
export const nextProbeStep = (
  timing: ProbeTiming,
  outcome: ProbeOutcome,
  from: ProbeState,
  tellFailures: boolean
): ProbeStep | undefined => {
  const enough = Math.max(timing.successThreshold, timing.failureThreshold)
  let state = from
  for (;;) {
    const atMs = state.nextMs
    const passed = passesAt(outcome, atMs)
    const after = checked(state, timing, passed)
    const changed = after.result !== state.result
    if (changed || (tellFailures && !passed && after.run <= timing.failureThreshold)) {
      return { atMs, passed, changed, state: after }
    }
    state = after
    if (state.run < enough) continue
    // Nothing changes any more before the checks come out differently.
    const turnMs = nextTurn(outcome, atMs)
    if (turnMs === undefined || turnMs === Number.POSITIVE_INFINITY) return undefined
    const skipped = Math.max(0, Math.ceil((turnMs - state.nextMs) / timing.periodMs))
    state = { ...state, nextMs: state.nextMs + skipped * timing.periodMs }
  }
}
