import { formatMicroTime, type Lease, type LeaseSpec } from "@rollcall/api"

/** Who takes part in an election, and for how long a renewal counts. */
export interface Candidate {
  readonly namespace: string
  readonly name: string
  /** `<hostname>_<uuid>`: unlike any other candidate's. */
  readonly identity: string
  readonly leaseDurationMs: number
}

/** A lease as a candidate last saw it, and when, by its own clock, it saw it change. */
export interface Observation {
  readonly lease: Lease | undefined
  readonly at: number
}

export const unobserved: Observation = { lease: undefined, at: Number.NEGATIVE_INFINITY }

const sameRecord = (left: LeaseSpec = {}, right: LeaseSpec = {}): boolean =>
  (left.holderIdentity ?? "") === (right.holderIdentity ?? "") &&
  left.leaseDurationSeconds === right.leaseDurationSeconds &&
  left.acquireTime === right.acquireTime &&
  left.renewTime === right.renewTime &&
  (left.leaseTransitions ?? 0) === (right.leaseTransitions ?? 0)

/** Only a record that changed starts its time anew: the times in it are another clock's, and are never compared with ours. */
export const observe = (before: Observation, lease: Lease, now: number): Observation =>
  before.lease !== undefined && sameRecord(before.lease.spec, lease.spec)
    ? { lease, at: before.at }
    : { lease, at: now }

export const holderOf = ({ lease }: Observation): string => lease?.spec?.holderIdentity ?? ""

/** Whether the record's own duration has not yet passed since it was seen to change. */
export const isValid = ({ at, lease }: Observation, now: number): boolean =>
  at + (lease?.spec?.leaseDurationSeconds ?? 0) * 1000 > now

/** The first lease of an election. */
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
 * The lease that a candidate may write over the one it sees: a renewal of its own, or a take-over of one that is free or has
 * run out. Undefined: someone else leads. Upstream: client-go/tools/leaderelection/leaderelection.go tryAcquireOrRenew.
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

/** The lease given up: nobody's, and soon run out for those who do not see that. */
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
