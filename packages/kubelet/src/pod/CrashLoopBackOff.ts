import type { KubeletConfig } from "../KubeletConfig.ts"

/** What is remembered of a container that exited: the pause that its next exit will meet, and when that was decided. */
export interface BackOffRecord {
  readonly backoffMs: number
  readonly decidedAtMs: number
}

export interface CrashLoopLimits {
  readonly initialMs: number
  readonly maxMs: number
}

/**
 * How long containers that crash wait. Upstream: pkg/kubelet/kubelet.go newCrashLoopBackOff.
 */
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

/** A container that ran this long after its last restart starts over with the first pause. */
const FORGET_AFTER_MS = 600_000

/**
 * May a container that finished at `finishedAtMs` be started now? The first exit restarts at once; each actual restart doubles
 * the pause for the next exit, which is counted from that exit.
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
