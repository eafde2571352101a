import { formatMicroTime, type Lease, type LeaseSpec } from "@rollcall/api"

/** A candidate of an election, and the duration of its leases. */
export interface Candidate {
  readonly namespace: string
  readonly name: string
  /** `<hostname>_<uuid>`: unique among candidates. */
  readonly identity: string
  readonly leaseDurationMs: number
}

/** A lease as a candidate last saw it, and the time, by the candidate's own clock, at which it saw it change. */
export interface Observation {
  readonly lease: Lease | undefined
  readonly at: number
}

export const unobserved: Observation = { lease: undefined, at: Number.NEGATIVE_INFINITY }

const isSameRecord = (left: LeaseSpec = {}, right: LeaseSpec = {}): boolean =>
  (left.holderIdentity ?? "") === (right.holderIdentity ?? "") &&
  left.leaseDurationSeconds === right.leaseDurationSeconds &&
  left.acquireTime === right.acquireTime &&
  left.renewTime === right.renewTime &&
  (left.leaseTransitions ?? 0) === (right.leaseTransitions ?? 0)

/**
 * Returns the observation after the lease was read. Its time restarts only if the record has changed. The times in the
 * record are another machine's, so they are never compared with the local clock.
 */
export const observe = (before: Observation, lease: Lease, now: number): Observation =>
  before.lease !== undefined && isSameRecord(before.lease.spec, lease.spec)
    ? { lease, at: before.at }
    : { lease, at: now }

export const holderOf = ({ lease }: Observation): string => lease?.spec?.holderIdentity ?? ""

/** Whether the record's own duration has not yet passed since it was seen to change. */
export const isValid = ({ at, lease }: Observation, now: number): boolean =>
  at + (lease?.spec?.leaseDurationSeconds ?? 0) * 1000 > now

/** Returns the first lease of an election. */
export const firstLease = ({ identity, leaseDurationMs, name, namespace }: Candidate, now: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace },
  spec: {
    holderIdentity: identity,
    leaseDurationSeconds: Math.floor(leaseDurationMs / 1000),
    acquireTime: formatMicroTime(now),
    renewTime: formatMicroTime(now),
    leaseTransitions: 0
  }
})

/**
 * Returns the lease that a candidate may write over the one it sees: a renewal of its own, or a take-over of one that
 * is released or has expired. Returns undefined if another candidate leads. Upstream:
 * client-go/tools/leaderelection/leaderelection.go tryAcquireOrRenew.
 */
export const nextLease = (candidate: Candidate, seen: Observation, lease: Lease, now: number): Lease | undefined => {
  const { identity, leaseDurationMs } = candidate
  const { acquireTime, leaseTransitions = 0, ...spec } = lease.spec ?? {}
  const isMine = holderOf(seen) === identity
  if (!isMine && holderOf(seen) !== "" && isValid(seen, now)) return undefined
  return {
    ...lease,
    spec: {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.floor(leaseDurationMs / 1000),
      acquireTime: isMine && acquireTime !== undefined ? acquireTime : formatMicroTime(now),
      renewTime: formatMicroTime(now),
      leaseTransitions: isMine ? leaseTransitions : leaseTransitions + 1
    }
  }
}

/** Returns the released lease: without a holder, and with a short duration for candidates that do not see the release. */
export const releasedLease = (lease: Lease, now: number): Lease => ({
  ...lease,
  spec: {
    ...lease.spec,
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: formatMicroTime(now),
    renewTime: formatMicroTime(now)
  }
})
