import type { Outcome } from "../node/Registration.ts"

/**
 * One sync of the node lease, generic in the lease type. `A` is the lease as the server last returned it.
 *
 * With a lease from the last sync: up to five updates without a pause; a conflict uses one of them and a fresh read.
 * Otherwise, or after five failures: read or create it, without a limit but with back-off, and then update the result.
 * Upstream: staging/src/k8s.io/component-helpers/apimachinery/lease/controller.go.
 */
export interface LeaseSync<A> {
  /** The result for the next sync. */
  readonly cached: A | undefined
  /** The basis of the next update; undefined: a new lease. */
  readonly base: A | undefined
  /** Failed updates of this round. */
  readonly failures: number
  /** Why the lease is read: because of a conflict within a round, or because there is nothing to update. */
  readonly ensureFor: "conflict" | "round"
  /** The round after a read is the last; a round on the cached lease falls back to a read. */
  readonly fallback: boolean
  readonly backoffMs: number
  readonly awaiting: "update" | "ownerOfUpdate" | "get" | "ownerOfCreate" | "create" | "sleep"
}

export type LeaseAction<A> =
  | { readonly type: "get" | "create" | "end" }
  | { readonly type: "update"; readonly base: A | undefined }
  /** Read the Node: its uid is needed for the owner reference of the next write. */
  | { readonly type: "getOwner" }
  | { readonly type: "sleep"; readonly ms: number }

export interface LeaseStep<A> {
  readonly state: LeaseSync<A>
  readonly action: LeaseAction<A>
  /** A repeated failure: upstream closes the connections to the API server. */
  readonly heartbeatFailure: boolean
}

export type HasOwner<A> = (lease: A) => boolean

const MAX_UPDATES = 5
const BACKOFF_FLOOR_MS = 100
const BACKOFF_MAX_MS = 7_000

const go = <A>(
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

const ensure = <A>(state: LeaseSync<A>, ensureFor: "conflict" | "round", heartbeatFailure = false): LeaseStep<A> =>
  go({ ...state, ensureFor, backoffMs: BACKOFF_FLOOR_MS }, "get", { type: "get" }, heartbeatFailure)

const update = <A>(state: LeaseSync<A>, hasOwner: HasOwner<A>, heartbeatFailure = false): LeaseStep<A> =>
  state.base !== undefined && hasOwner(state.base)
    ? go(state, "update", { type: "update", base: state.base }, heartbeatFailure)
    : go(state, "ownerOfUpdate", { type: "getOwner" }, heartbeatFailure)

const roundOver = <A>(state: LeaseSync<A>, heartbeatFailure: boolean): LeaseStep<A> =>
  state.fallback ? ensure({ ...state, fallback: false }, "round", heartbeatFailure) : end(state, heartbeatFailure)

const updateFailed = <A>(state: LeaseSync<A>, hasOwner: HasOwner<A>): LeaseStep<A> => {
  const heartbeatFailure = state.failures > 0
  const next = { ...state, failures: state.failures + 1 }
  return next.failures === MAX_UPDATES ? roundOver(next, heartbeatFailure) : update(next, hasOwner, heartbeatFailure)
}

/** The lease was read or created, or its creation was skipped (undefined). */
const ensured = <A>(
  state: LeaseSync<A>,
  lease: A | undefined,
  created: boolean,
  hasOwner: HasOwner<A>
): LeaseStep<A> => {
  if (state.ensureFor === "conflict") {
    const next = { ...state, base: lease, failures: state.failures + 1 }
    return next.failures === MAX_UPDATES ? roundOver(next, false) : update(next, hasOwner)
  }
  const next = { ...state, cached: lease, base: lease, failures: 0 }
  return created || lease === undefined ? end(next) : update(next, hasOwner)
}

const ensureFailed = <A>(state: LeaseSync<A>): LeaseStep<A> => {
  const backoffMs = Math.min(state.backoffMs * 2, BACKOFF_MAX_MS)
  return go({ ...state, backoffMs }, "sleep", { type: "sleep", ms: backoffMs })
}

/** Begins a sync with the lease from the last one. */
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
  return cached === undefined ? ensure(state, "round") : update(state, hasOwner)
}

/** The sleep has ended. */
export const leaseSlept = <A>(state: LeaseSync<A>): LeaseStep<A> => go(state, "get", { type: "get" })

/** The Node was read, or could not be: then a creation is skipped, and an update counts as failed. */
export const leaseOwnerRead = <A>(state: LeaseSync<A>, found: boolean, hasOwner: HasOwner<A>): LeaseStep<A> => {
  if (state.awaiting === "ownerOfUpdate") {
    return found ? go(state, "update", { type: "update", base: state.base }) : updateFailed(state, hasOwner)
  }
  return found ? go(state, "create", { type: "create" }) : ensured(state, undefined, false, hasOwner)
}

/** The API answered a get, create or update; `lease` is the result of a successful one. */
export const leaseAnswered = <A>(
  state: LeaseSync<A>,
  outcome: Outcome,
  lease: A | undefined,
  hasOwner: HasOwner<A>
): LeaseStep<A> => {
  switch (state.awaiting) {
    case "update":
      if (outcome === "ok") return end({ ...state, cached: lease })
      return outcome === "conflict" ? ensure(state, "conflict") : updateFailed(state, hasOwner)
    case "create":
      return outcome === "ok" ? ensured(state, lease, true, hasOwner) : ensureFailed(state)
    default:
      if (outcome === "ok") return ensured(state, lease, false, hasOwner)
      return outcome === "notFound" ? go(state, "ownerOfCreate", { type: "getOwner" }) : ensureFailed(state)
  }
}
