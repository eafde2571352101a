import type { KubeletConfig } from "../KubeletConfig.ts"

/** The back-off record of a container that exited: the delay for its next exit, and when it was set. */
export interface BackOffRecord {
  readonly backoffMs: number
  readonly decidedAtMs: number
}

export interface CrashLoopLimits {
  readonly initialMs: number
  readonly maxMs: number
}

/** The delays of crashing containers. Upstream: pkg/kubelet/kubelet.go newCrashLoopBackOff. */
export const crashLoopLimits = ({ featureGates, maxContainerRestartPeriodMs }: KubeletConfig): CrashLoopLimits => {
  const { KubeletCrashLoopBackOffMax, ReduceDefaultCrashLoopBackOffDecay } = featureGates
  const first = ReduceDefaultCrashLoopBackOffDecay ? 1_000 : 10_000
  const isSet = KubeletCrashLoopBackOffMax || !ReduceDefaultCrashLoopBackOffDecay
  const maxMs = isSet ? maxContainerRestartPeriodMs : 60_000
  return { initialMs: Math.min(first, maxMs), maxMs }
}

export type RestartDecision =
  | { readonly restart: true; readonly record: BackOffRecord }
  | { readonly restart: false; readonly backoffMs: number; readonly startNotBeforeMs: number }

/** A container that ran this long after its last restart starts over with the first delay. */
const FORGET_AFTER_MS = 600_000

/**
 * Whether a container that finished at `finishedAtMs` may be started now. The first exit restarts at once; each
 * restart doubles the delay for the next exit, which counts from that exit.
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; client-go/util/flowcontrol/backoff.go.
 */
export const decideRestart = (
  record: BackOffRecord | undefined,
  finishedAtMs: number,
  nowMs: number,
  limits: CrashLoopLimits
): RestartDecision => {
  if (record === undefined || finishedAtMs - record.decidedAtMs > FORGET_AFTER_MS) {
    return { restart: true, record: { backoffMs: limits.initialMs, decidedAtMs: nowMs } }
  }
  const startNotBeforeMs = finishedAtMs + record.backoffMs
  if (nowMs < startNotBeforeMs) return { restart: false, backoffMs: record.backoffMs, startNotBeforeMs }
  return {
    restart: true,
    record: { backoffMs: Math.min(record.backoffMs * 2, limits.maxMs), decidedAtMs: nowMs }
  }
}
