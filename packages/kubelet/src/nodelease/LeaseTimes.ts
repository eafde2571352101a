import { draw, nextState, type RngState } from "@rollcall/time"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { KubeletModel } from "../KubeletModel.ts"

/**
 * A lease is renewed after this fraction of its duration. Upstream: pkg/kubelet/kubelet.go
 * nodeLeaseRenewIntervalFraction.
 */
const RENEW_FRACTION = 0.25

/** Returns the first time after `now` that is a whole number of intervals after `startMs`. */
const nextGridTime = (startMs: number, intervalMs: number, now: number): number =>
  startMs + (Math.floor((now - startMs) / intervalMs) + 1) * intervalMs

/** Returns the interval between renewals, without its jitter. */
export const renewalIntervalMs = (
  { nodeLeaseDurationSeconds }: KubeletConfig,
  { leaseIntervalMs }: KubeletModel
): number => leaseIntervalMs ?? nodeLeaseDurationSeconds * 1000 * RENEW_FRACTION

/** A renewal after which another one follows. */
export interface LastRenewal {
  readonly startedAtMs: number
  readonly nowMs: number
  /** The state of the jitter's generator. */
  readonly seed: RngState
  /** Whether the next interval ends at a random point of it, see `KubeletModel.leaseSpread`. */
  readonly spreadsNext: boolean
}

/** Returns when the next renewal is due, and the state of the jitter's generator after that. */
export const nextRenewal = (
  config: KubeletConfig,
  model: KubeletModel,
  { nowMs, seed, spreadsNext, startedAtMs }: LastRenewal
): { readonly atMs: number; readonly seed: RngState } => {
  const intervalMs = renewalIntervalMs(config, model)
  const jitterMs = intervalMs * model.leaseJitter
  const next = nextState(seed)
  if (spreadsNext) return { atMs: nowMs + intervalMs * draw(next), seed: next }
  if (model.leaseOnGrid) return { atMs: nextGridTime(startedAtMs, intervalMs, nowMs), seed }
  if (jitterMs <= 0) return { atMs: nowMs + intervalMs, seed }
  return { atMs: nowMs + intervalMs + jitterMs * draw(next), seed: next }
}
