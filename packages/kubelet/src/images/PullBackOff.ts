import type { BackOffRecord } from "../pod/CrashLoopBackOff.ts"

/** The back-off after a failed pull, with the registry's message. */
export interface PullBackOff extends BackOffRecord {
  readonly message: string
}

/** The back-offs of a pod's image pulls, by image: containers of a pod with the same image share theirs. */
export type PullBackOffs = Map<string, PullBackOff>

/** Upstream: pkg/kubelet/kubelet.go imageBackOffPeriod, MaxImageBackOff. */
const FIRST_MS = 10_000
const MAX_MS = 300_000

/** Returns the back-off after another failed pull. One that is long past starts over. */
export const pullFailedAgain = (last: PullBackOff | undefined, nowMs: number, message: string): PullBackOff => {
  const isPast = last === undefined || nowMs - last.decidedAtMs > 2 * MAX_MS
  return { backoffMs: isPast ? FIRST_MS : Math.min(last.backoffMs * 2, MAX_MS), decidedAtMs: nowMs, message }
}

export const isBackingOff = ({ backoffMs, decidedAtMs }: PullBackOff, nowMs: number): boolean =>
  nowMs - decidedAtMs < backoffMs
