import { formatMicroTime, type Lease } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists, isConflict, isNotFound } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FleetPart } from "./FleetPart.ts"
import {
  isEarlier,
  LEASE_SECONDS,
  leaseName,
  leaseNamespace,
  leaseOf,
  membersText,
  overlaps,
  partOf,
  RENEW_MS,
  selectorOf
} from "./PartLease.ts"

/** Another process runs members of the same part of a fleet. */
export class PartTaken extends Schema.TaggedError<PartTaken>()("PartTaken", {
  wanted: Schema.String,
  lease: Schema.String,
  taken: Schema.String,
  holder: Schema.String
}) {
  override get message(): string {
    return `the nodes ${this.wanted} overlap ${this.taken}, which ${this.holder} runs (lease ${leaseNamespace}/${this.lease}): give each process an --offset and a --count of its own`
  }
}

const POLL_MS = 1000
const RELEASE_TIMEOUT = "2 seconds"

const takenBy = (lease: Lease, part: FleetPart): PartTaken =>
  new PartTaken({
    wanted: membersText(part),
    taken: membersText(partOf(lease, part.fleet) ?? part),
    lease: lease.metadata.name ?? "",
    holder: lease.spec?.holderIdentity || "another process"
  })

/** Deletes a Lease, unless it has been renewed since it was read. */
const deleteUnchanged = (cluster: ClusterShape, { metadata }: Lease): Effect.Effect<void, ClusterError> => {
  const { name = "", resourceVersion } = metadata
  const preconditions = resourceVersion === undefined ? {} : { preconditions: { resourceVersion } }
  return cluster.delete("Lease", { namespace: leaseNamespace, name }, preconditions).pipe(
    Effect.catchIf(
      (error) => isNotFound(error) || isConflict(error),
      () => Effect.void
    ),
    Effect.asVoid
  )
}

const othersOf = (cluster: ClusterShape, part: FleetPart, holder: string) =>
  Effect.map(cluster.list("Lease", { namespace: leaseNamespace, labelSelector: selectorOf(part.fleet) }), ({ items }) =>
    items.filter((lease) => {
      const other = partOf(lease, part.fleet)
      return other !== undefined && lease.spec?.holderIdentity !== holder && overlaps(part, other)
    })
  )

/**
 * Waits until no other process runs members of a part: one that renews its Lease meanwhile is alive, and one that does not
 * within the Lease's duration is gone.
 */
const awaitNoOther = Effect.fnUntraced(function* (cluster: ClusterShape, part: FleetPart, holder: string) {
  const { now } = yield* Timers
  const seen = new Map<string, { readonly renewTime: string | undefined; readonly sinceMs: number }>()
  while (true) {
    const others = yield* othersOf(cluster, part, holder)
    if (others.length === 0) return
    for (const lease of others) {
      const { metadata, spec } = lease
      const { name = "" } = metadata
      const before = seen.get(name)
      if (before === undefined) {
        seen.set(name, { renewTime: spec?.renewTime, sinceMs: now() })
        yield* Effect.logInfo("Waiting to see whether another process still runs these nodes").pipe(
          Effect.annotateLogs({ lease: `${leaseNamespace}/${name}`, holder: spec?.holderIdentity ?? "" })
        )
      } else if (before.renewTime !== spec?.renewTime) return yield* takenBy(lease, part)
      else if (now() - before.sinceMs > LEASE_SECONDS * 1000) yield* deleteUnchanged(cluster, lease)
    }
    yield* Effect.sleep(POLL_MS)
  }
})

/** Fails if there is a Lease with the name of the part's that does not belong to it: no process will release it. */
const refuseForeign = (cluster: ClusterShape, part: FleetPart): Effect.Effect<void, ClusterError | PartTaken> =>
  cluster.get("Lease", { namespace: leaseNamespace, name: leaseName(part) }).pipe(
    Effect.flatMap((lease) => {
      const other = partOf(lease, part.fleet)
      return other !== undefined && overlaps(part, other) ? Effect.void : Effect.fail(takenBy(lease, part))
    }),
    Effect.catchIf(
      (error) => error._tag !== "PartTaken" && isNotFound(error),
      () => Effect.void
    )
  )

/** Makes the Lease of a part. Of two processes that do so at one time, the later one takes its own away and looks again. */
const acquire = Effect.fnUntraced(function* (cluster: ClusterShape, part: FleetPart, holder: string) {
  const { now } = yield* Timers
  while (true) {
    yield* awaitNoOther(cluster, part, holder)
    const made = yield* cluster
      .create("Lease", leaseOf(part, holder, now()))
      .pipe(Effect.catchIf(isAlreadyExists, () => Effect.succeed(undefined)))
    if (made === undefined) {
      yield* refuseForeign(cluster, part)
      continue
    }
    const others = yield* othersOf(cluster, part, holder)
    if (others.every((other) => isEarlier(made, other))) return
    yield* deleteUnchanged(cluster, made)
  }
})

/** Renews the Lease. Fails if another process has taken it, which happens after a long pause of this one. */
const renew = Effect.fnUntraced(function* (cluster: ClusterShape, part: FleetPart, holder: string) {
  const { now } = yield* Timers
  const key = { namespace: leaseNamespace, name: leaseName(part) }
  const lease = yield* cluster.get("Lease", key).pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
  if (lease === undefined) return yield* acquire(cluster, part, holder)
  if (lease.spec?.holderIdentity !== holder) return yield* takenBy(lease, part)
  yield* cluster.update("Lease", { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(now()) } })
})

/**
 * Claims a part of a fleet for this process until the scope closes. Returns what renews the claim; it ends only with an
 * error. A server that cannot be reached is no reason to end: the kubelets go on too.
 */
export const claimPart = Effect.fnUntraced(function* (cluster: ClusterShape, part: FleetPart, holder: string) {
  yield* Effect.addFinalizer(() =>
    cluster.get("Lease", { namespace: leaseNamespace, name: leaseName(part) }).pipe(
      Effect.flatMap((lease) =>
        lease.spec?.holderIdentity === holder ? deleteUnchanged(cluster, lease) : Effect.void
      ),
      Effect.timeoutOption(RELEASE_TIMEOUT),
      Effect.ignore
    )
  )
  yield* acquire(cluster, part, holder)
  const keepOn = renew(cluster, part, holder).pipe(
    Effect.catchIf(
      (error): error is ClusterError => error._tag !== "PartTaken",
      ({ message }) =>
        Effect.logDebug("The lease of a part of a fleet was not renewed").pipe(Effect.annotateLogs({ message }))
    ),
    Effect.delay(RENEW_MS),
    Effect.forever
  )
  return { keepOn }
})
