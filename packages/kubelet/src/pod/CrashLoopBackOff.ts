import type { KubeletConfig } from "../KubeletConfig.ts"

/** The back-off of a container: the delay after its next exit, and the time at which that delay was set. */
export interface BackOffRecord {
  readonly backoffMs: number
  readonly decidedAtMs: number
}

export interface CrashLoopLimits {
  readonly initialMs: number
  readonly maxMs: number
}

/**
 * Returns the first and the longest delay before a restart of a crashing container. Upstream: pkg/kubelet/kubelet.go
 * newCrashLoopBackOff.
 */
export const crashLoopLimits = ({ featureGates, maxContainerRestartPeriodMs }: KubeletConfig): CrashLoopLimits => {
  const { KubeletCrashLoopBackOffMax, ReduceDefaultCrashLoopBackOffDecay } = featureGates
  const first = ReduceDefaultCrashLoopBackOffDecay ? 1_000 : 10_000
  const isSet = KubeletCrashLoopBackOffMax || !ReduceDefaultCrashLoopBackOffDecay
  const maxMs = isSet ? maxContainerRestartPeriodMs : 60_000
  return { initialMs: Math.min(first, maxMs), maxMs }
}

/** Restart now, with the record to keep; or the end of the back-off. */
export type RestartDecision =
  | { readonly restart: true; readonly record: BackOffRecord }
  | { readonly restart: false; readonly backoffMs: number; readonly startNotBeforeMs: number }

/** A container that ran this long after its last restart starts over with the first delay. */
const FORGET_AFTER_MS = 600_000

/**
 * Decides whether a container that finished at `finishedAtMs` may be started now. After its first exit it is restarted
 * at once. Each restart doubles the delay after the next exit, which counts from that exit. Upstream:
 * pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; client-go/util/flowcontrol/backoff.go.
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
