import type { Probe } from "@rollcall/api"
import { nextTurn, type ProbeKind, type ProbeOutcome, passesAt } from "../runtime/ProbeOutcomes.ts"

/** When a container is checked, in milliseconds since the container's start. */
export interface ProbeTiming {
  readonly periodMs: number
  /** The first check. */
  readonly firstMs: number
  readonly successThreshold: number
  readonly failureThreshold: number
}

/** The state of the checks of one kind. */
export interface ProbeState {
  /** The effective result; undefined while there is none. */
  readonly result: boolean | undefined
  readonly last: boolean | undefined
  /** How often in a row the last outcome occurred. */
  readonly run: number
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

/**
 * Checks run on a grid of the period that begins with the container, from the initial delay on. `enabledMs`: when the
 * container counted as started; a readiness probe that waited for that checks at once.
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

/** Until the first check, a container is not ready, alive, and neither started nor failed to. */
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
 * The next relevant check: one that changes the result, or, with `tellFailures`, one of the failures up to the
 * threshold. Undefined: nothing changes any more. Checks in between are computed, not run.
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
    // Nothing changes until the outcome of the checks does.
    const turnMs = nextTurn(outcome, atMs)
    if (turnMs === undefined || turnMs === Number.POSITIVE_INFINITY) return undefined
    const skipped = Math.max(0, Math.ceil((turnMs - state.nextMs) / timing.periodMs))
    state = { ...state, nextMs: state.nextMs + skipped * timing.periodMs }
  }
}
