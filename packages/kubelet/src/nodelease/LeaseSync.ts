import type { Outcome } from "../node/Registration.ts"

/**
 * One sync of the node lease, generic in the lease type. `A` is the lease as the server last returned it.
 *
 * With a lease from the last sync: up to five updates without a pause; a conflict uses one of them and a fresh read.
 * Otherwise, or after five failures: read or create it, without a limit but with back-off, and then update the result.
 * Upstream: staging/src/k8s.io/component-helpers/apimachinery/lease/controller.continueWith.
 */
export interface LeaseSync<A> {
  /** The lease with which the next sync begins. */
  readonly cached: A | undefined
  /** The lease that the next update renews; undefined if the update is made from a new lease. */
  readonly base: A | undefined
  /** The number of failed updates of this round. */
  readonly failures: number
  /** Why the lease is read: because of a conflict within a round, or because there is nothing to update. */
  readonly ensureFor: "conflict" | "round"
  /** Whether the lease is read if all updates of this round fail: true for a round with the cached lease. */
  readonly fallback: boolean
  /** The last delay between two attempts to read or create the lease. */
  readonly backoffMs: number
  /** What the driver was told to do: `ownerOf…` is the read of the Node before an update or a creation. */
  readonly awaiting: "update" | "ownerOfUpdate" | "get" | "ownerOfCreate" | "create" | "sleep"
}

export type LeaseAction<A> =
  | { readonly type: "get" | "create" | "end" }
  | { readonly type: "update"; readonly base: A | undefined }
  /** Read the Node: its uid is needed for the owner reference of the next write. */
  | { readonly type: "getOwner" }
  | { readonly type: "sleep"; readonly ms: number }

/** What to do next, and the state to pass back with the outcome. */
export interface LeaseStep<A> {
  readonly state: LeaseSync<A>
  readonly action: LeaseAction<A>
  /** Whether this was a repeated failure, after which upstream closes its connections to the API server. */
  readonly heartbeatFailure: boolean
}

/** Tells whether a lease has an owner reference, so that the Node need not be read before an update. */
export type HasOwner<A> = (lease: A) => boolean

/** Upstream: maxUpdateRetries, and the back-off of backoffEnsureLease: 200 ms, doubled up to 7 s. */
const MAX_UPDATES = 5
/** Half of the first delay, because the delay is doubled before each sleep. */
const BACKOFF_FLOOR_MS = 100
const BACKOFF_MAX_MS = 7_000

const continueWith = <A>(
  state: LeaseSync<A>,
  awaiting: LeaseSync<A>["awaiting"],
  action: LeaseAction<A>,
  heartbeatFailure = false
): LeaseStep<A> => ({ state: { ...state, awaiting }, action, heartbeatFailure })

const end = <A>(state: LeaseSync<A>, heartbeatFailure = false): LeaseStep<A> => ({
  state,
  action: { type: "end" },
  heartbeatFailure
})

const readOrCreate = <A>(
  state: LeaseSync<A>,
  ensureFor: "conflict" | "round",
  heartbeatFailure = false
): LeaseStep<A> =>
  continueWith({ ...state, ensureFor, backoffMs: BACKOFF_FLOOR_MS }, "get", { type: "get" }, heartbeatFailure)

const update = <A>(state: LeaseSync<A>, hasOwner: HasOwner<A>, heartbeatFailure = false): LeaseStep<A> =>
  state.base !== undefined && hasOwner(state.base)
    ? continueWith(state, "update", { type: "update", base: state.base }, heartbeatFailure)
    : continueWith(state, "ownerOfUpdate", { type: "getOwner" }, heartbeatFailure)

const endRound = <A>(state: LeaseSync<A>, heartbeatFailure: boolean): LeaseStep<A> =>
  state.fallback ? readOrCreate({ ...state, fallback: false }, "round", heartbeatFailure) : end(state, heartbeatFailure)

const updateFailed = <A>(state: LeaseSync<A>, hasOwner: HasOwner<A>): LeaseStep<A> => {
  const heartbeatFailure = state.failures > 0
  const next = { ...state, failures: state.failures + 1 }
  return next.failures === MAX_UPDATES ? endRound(next, heartbeatFailure) : update(next, hasOwner, heartbeatFailure)
}

/** Continues after the lease was read or created. `lease` is undefined if the creation was skipped. */
const leaseEnsured = <A>(
  state: LeaseSync<A>,
  lease: A | undefined,
  created: boolean,
  hasOwner: HasOwner<A>
): LeaseStep<A> => {
  if (state.ensureFor === "conflict") {
    const next = { ...state, base: lease, failures: state.failures + 1 }
    return next.failures === MAX_UPDATES ? endRound(next, false) : update(next, hasOwner)
  }
  const next = { ...state, cached: lease, base: lease, failures: 0 }
  return created || lease === undefined ? end(next) : update(next, hasOwner)
}

const retryEnsure = <A>(state: LeaseSync<A>): LeaseStep<A> => {
  const backoffMs = Math.min(state.backoffMs * 2, BACKOFF_MAX_MS)
  return continueWith({ ...state, backoffMs }, "sleep", { type: "sleep", ms: backoffMs })
}

/** Begins a sync. `cached` is the lease from the previous sync, if there is one. */
export const beginLeaseSync = <A>(cached: A | undefined, hasOwner: HasOwner<A>): LeaseStep<A> => {
  const state: LeaseSync<A> = {
    cached,
    base: cached,
    failures: 0,
    ensureFor: "round",
    fallback: cached !== undefined,
    backoffMs: BACKOFF_FLOOR_MS,
    awaiting: "get"
  }
  return cached === undefined ? readOrCreate(state, "round") : update(state, hasOwner)
}

/** Continues after the sleep of an action `sleep`. */
export const leaseSlept = <A>(state: LeaseSync<A>): LeaseStep<A> => continueWith(state, "get", { type: "get" })

/** Whether a read of this round has failed. */
export const hasFailedRead = <A>({ backoffMs }: LeaseSync<A>): boolean => backoffMs > BACKOFF_FLOOR_MS

/** What a sync waits for: the answer to its last read, or the end of the sleep after that. */
export interface LeaseWait<A> {
  readonly state: LeaseSync<A>
  readonly sentAtMs: number
  readonly wakesAtMs: number | undefined
}

/** Returns what a sync waits for at `nowMs` that read the lease at `sentAtMs`, if each of its reads timed out. */
export const leaseTimedOut = <A>(
  read: LeaseSync<A>,
  sentAtMs: number,
  timeoutMs: number,
  nowMs: number
): LeaseWait<A> => {
  let state = read
  let at = sentAtMs
  while (nowMs > at + timeoutMs) {
    state = retryEnsure(state).state
    at += timeoutMs
    const wakesAtMs = at + state.backoffMs
    if (nowMs <= wakesAtMs) return { state, sentAtMs: at - timeoutMs, wakesAtMs }
    state = leaseSlept(state).state
    at = wakesAtMs
  }
  return { state, sentAtMs: at, wakesAtMs: undefined }
}

/** Continues after the Node was read. If that failed, a creation is skipped, and an update counts as failed. */
export const leaseOwnerRead = <A>(state: LeaseSync<A>, found: boolean, hasOwner: HasOwner<A>): LeaseStep<A> => {
  if (state.awaiting === "ownerOfUpdate") {
    return found ? continueWith(state, "update", { type: "update", base: state.base }) : updateFailed(state, hasOwner)
  }
  return found ? continueWith(state, "create", { type: "create" }) : leaseEnsured(state, undefined, false, hasOwner)
}

/** Continues after the API answered a get, create or update. `lease` is the result of a successful request. */
export const leaseAnswered = <A>(
  state: LeaseSync<A>,
  outcome: Outcome,
  lease: A | undefined,
  hasOwner: HasOwner<A>
): LeaseStep<A> => {
  switch (state.awaiting) {
    case "update":
      if (outcome === "ok") return end({ ...state, cached: lease })
      return outcome === "conflict" ? readOrCreate(state, "conflict") : updateFailed(state, hasOwner)
    case "create":
      return outcome === "ok" ? leaseEnsured(state, lease, true, hasOwner) : retryEnsure(state)
    default:
      if (outcome === "ok") return leaseEnsured(state, lease, false, hasOwner)
      return outcome === "notFound" ? continueWith(state, "ownerOfCreate", { type: "getOwner" }) : retryEnsure(state)
  }
}
