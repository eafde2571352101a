import type { KubeletConfig } from "../KubeletConfig.ts"
import type { KubeletModel } from "../KubeletModel.ts"

/**
 * A lease is renewed after this fraction of its duration. Upstream: pkg/kubelet/kubelet.go
 * nodeLeaseRenewIntervalFraction.
 */
const RENEW_FRACTION = 0.25

/** Returns the first time after `now` that is a whole number of intervals after `startMs`. */
export const nextGridTime = (startMs: number, intervalMs: number, now: number): number =>
  startMs + (Math.floor((now - startMs) / intervalMs) + 1) * intervalMs

/** Returns the interval between renewals, without its jitter. */
export const renewalIntervalMs = (
  { nodeLeaseDurationSeconds }: KubeletConfig,
  { leaseIntervalMs }: KubeletModel
): number => leaseIntervalMs ?? nodeLeaseDurationSeconds * 1000 * RENEW_FRACTION
