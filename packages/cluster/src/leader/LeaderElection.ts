import type { Lease } from "@rollcall/api"
import { errorText, nextRng, recovering } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Cluster } from "../Cluster.ts"
import { type ClusterError, isNotFound } from "../ClusterError.ts"
import type { EventRecorder } from "../EventRecorder.ts"
import {
  type Candidate,
  firstLease,
  holderOf,
  isValid,
  nextLease,
  type Observation,
  observe,
  releasedLease,
  unobserved
} from "./LeaderRecord.ts"
import type { LeaderWatchDog } from "./WatchDog.ts"

/** The timing of an election. It must hold that `leaseDuration` > `renewDeadline` > 1.2 × `retryPeriod`. */
export interface LeaderElectionTimes {
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

/** The timing of Kubernetes' components. Upstream: component-base/config. */
export const leaderElectionTimes: LeaderElectionTimes = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000
}

export interface LeaderElectionOptions extends Partial<LeaderElectionTimes> {
  /** The Lease that is the lock. */
  readonly namespace: string
  readonly name: string
  readonly identity: string
  /** Release the lease when the leader is stopped, so that another candidate need not wait for it to expire. */
  readonly releaseOnCancel?: boolean
  readonly recorder?: Pick<EventRecorder, "event">
  /** Called for each new holder that is seen, this candidate included. */
  readonly onNewLeader?: (identity: string) => void
  /** Records the state of the election, for health checks. */
  readonly watchDog?: LeaderWatchDog
}

/** The lease could not be renewed in time: another candidate may lead now, and the component must end at once. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  lease: Schema.String,
  identity: Schema.String
}) {
  override get message(): string {
    return `leaderelection lost: ${this.identity} could not renew the lease ${this.lease}`
  }
}

/** A request of a try to acquire or renew failed. `message` is what upstream logs, `err` the error's message. */
class TryFailed extends Schema.TaggedError<TryFailed>()("TryFailed", { message: Schema.String, err: Schema.String }) {}

const JITTER_FACTOR = 1.2
/** Go's message for a request whose context expired. */
const deadlineMessage = "context deadline exceeded"

/** Returns the problem of times that a user gave; undefined if they are valid. Upstream: NewLeaderElector. */
export const leaderElectionProblem = (times: LeaderElectionTimes): string | undefined => {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times
  if (leaseDurationMs < 1000) return "leaseDuration must be at least one second"
  if (retryPeriodMs <= 0) return "retryPeriod must be greater than zero"
  if (leaseDurationMs <= renewDeadlineMs) return "leaseDuration must be greater than renewDeadline"
  if (renewDeadlineMs <= JITTER_FACTOR * retryPeriodMs)
    return "renewDeadline must be greater than retryPeriod*JitterFactor"
  return undefined
}

class Elector {
  private readonly cluster: Cluster["Service"]
  private readonly options: LeaderElectionOptions
  private readonly requestMs: number
  private readonly candidate: Candidate
  private observation: Observation = unobserved
  private lastReported = ""

  constructor(cluster: Cluster["Service"], options: LeaderElectionOptions, times: LeaderElectionTimes) {
    this.cluster = cluster
    this.options = options
    this.candidate = { ...options, leaseDurationMs: times.leaseDurationMs }
    this.requestMs = Math.max(1000, times.renewDeadlineMs / 2)
  }

  get isLeader(): boolean {
    return holderOf(this.observation) === this.candidate.identity
  }

  /** `namespace/name` of the Lease, as upstream describes it. */
  private get lock(): string {
    return `${this.options.namespace}/${this.options.name}`
  }

  /** Returns true when this candidate holds the lease. */
  readonly tryAcquireOrRenew: Effect.Effect<boolean> = Effect.suspend(() => this.tryOnce()).pipe(
    Effect.tap(() => Effect.sync(() => this.reportToWatchDog())),
    Effect.catchTag("TryFailed", ({ err, message }) => this.handleFailedTry(message, err)),
    (attempt) => recovering(attempt, (error) => this.handleFailedTry("Error in leader election", errorText(error))),
    Effect.tap(() =>
      recovering(
        Effect.sync(() => this.report()),
        (error) => this.logError("Error in leader election", errorText(error))
      )
    )
  )

  private logError(message: string, err: string) {
    return Effect.logError(message).pipe(Effect.annotateLogs({ err, lock: this.lock }))
  }

  /** A thrown error counts as a failed try, too. Upstream: leaderelection.go, HandleCrash. */
  private handleFailedTry(message: string, err: string) {
    this.options.watchDog?.failed(err)
    return Effect.as(this.logError(message, err), false)
  }

  private reportToWatchDog(): void {
    const { candidate, options, observation } = this
    const term = { lease: candidate.name, durationMs: candidate.leaseDurationMs, renewedMs: observation.at }
    options.watchDog?.answered(this.isLeader ? term : undefined)
  }

  /** Sends a request with a timeout. Fails with NotFound, or with TryFailed. */
  private readonly send = <A>(request: Effect.Effect<A, ClusterError>, failed: string) =>
    Effect.timeout(request, this.requestMs).pipe(
      Effect.mapError((error) =>
        error._tag === "ApiError" && isNotFound(error)
          ? error
          : new TryFailed({ message: failed, err: error._tag === "TimeoutError" ? deadlineMessage : error.message })
      )
    )

  private record(lease: Lease, now: number): void {
    this.observation = observe(this.observation, lease, now)
  }

  private write(lease: Lease) {
    return Effect.gen({ self: this }, function* () {
      const failed = "Failed to update lease"
      const updated = yield* this.send(this.cluster.update("Lease", lease), failed).pipe(
        Effect.catchTag("ApiError", ({ message }) => Effect.fail(new TryFailed({ message: failed, err: message })))
      )
      this.record(updated, yield* Clock.currentTimeMillis)
      return true
    })
  }

  /**
   * A leader skips the read and updates the lease that it wrote last; when another write has happened, the server
   * responds with Conflict.
   */
  private renewFast(now: number) {
    const { candidate, observation } = this
    if (!this.isLeader || !isValid(observation, now) || observation.lease === undefined) return Effect.succeed(false)
    const renewal = nextLease(candidate, observation, observation.lease, now)
    if (renewal === undefined) return Effect.succeed(false)
    const fallBack = Effect.logDebug("Failed to update lease optimistically, falling back to slow path")
    return Effect.catch(this.write(renewal), ({ err }) =>
      Effect.as(Effect.annotateLogs(fallBack, { err, lock: this.lock }), false)
    )
  }

  private tryOnce() {
    return Effect.gen({ self: this }, function* () {
      const now = yield* Clock.currentTimeMillis
      const { candidate } = this
      if (yield* this.renewFast(now)) return true
      const found = yield* this.send(this.cluster.get("Lease", candidate), "Error retrieving lease lock").pipe(
        Effect.catchTag("ApiError", () => Effect.succeed(undefined))
      )
      if (found === undefined) {
        const failed = "Error initially creating lease lock"
        const created = yield* this.send(this.cluster.create("Lease", firstLease(candidate, now)), failed).pipe(
          Effect.catchTag("ApiError", ({ message }) => Effect.fail(new TryFailed({ message: failed, err: message })))
        )
        this.record(created, yield* Clock.currentTimeMillis)
        return true
      }
      this.record(found, yield* Clock.currentTimeMillis)
      const next = nextLease(candidate, this.observation, found, now)
      if (next !== undefined) return yield* this.write(next)
      yield* Effect.logDebug("Lease is held by and has not yet expired").pipe(
        Effect.annotateLogs({ lock: this.lock, holder: holderOf(this.observation) })
      )
      return false
    })
  }

  readonly release: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { candidate, options } = this
    if (options.releaseOnCancel !== true || !this.isLeader) return
    const found = yield* this.send(this.cluster.get("Lease", candidate), "error retrieving resource lock")
    const now = yield* Clock.currentTimeMillis
    this.record(found, now)
    if (!this.isLeader) return
    this.record(
      yield* this.send(this.cluster.update("Lease", releasedLease(found, now)), "Failed to release lease"),
      now
    )
  }).pipe(
    Effect.catchTag("TryFailed", ({ err, message }) => this.logError(message, err)),
    Effect.catchTag("ApiError", () => Effect.annotateLogs(Effect.logInfo("lease lock not found"), { lock: this.lock }))
  )

  event(what: "became leader" | "stopped leading"): void {
    const { lease } = this.observation
    const message = `${this.candidate.identity} ${what}`
    if (lease !== undefined) this.options.recorder?.event(lease, "Normal", "LeaderElection", message)
  }

  private report(): void {
    const holder = holderOf(this.observation)
    if (holder === this.lastReported) return
    this.lastReported = holder
    this.options.onNewLeader?.(holder)
  }
}

const acquire = (elector: Elector, retryPeriodMs: number, lock: string) =>
  Effect.gen(function* () {
    const random = yield* nextRng
    yield* Effect.annotateLogs(Effect.logInfo("Attempting to acquire leader lease..."), { lock })
    while (!(yield* elector.tryAcquireOrRenew)) {
      yield* Effect.annotateLogs(Effect.logDebug("Failed to acquire lease"), { lock })
      yield* Effect.sleep(retryPeriodMs * (1 + JITTER_FACTOR * random()))
    }
    yield* Effect.annotateLogs(Effect.logInfo("Successfully acquired lease"), { lock })
  })

/** Retries every retry period, until a renewal succeeds. */
const renewOnce = (elector: Elector, retryPeriodMs: number) =>
  Effect.gen(function* () {
    for (;;) {
      const startedAt = yield* Clock.currentTimeMillis
      if (yield* elector.tryAcquireOrRenew) return
      const tookMs = (yield* Clock.currentTimeMillis) - startedAt
      yield* Effect.sleep(Math.max(0, retryPeriodMs - tookMs))
    }
  })

const keepRenewing = (
  elector: Elector,
  { renewDeadlineMs, retryPeriodMs }: LeaderElectionTimes,
  leaseLost: LeaseLost
) =>
  Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(retryPeriodMs)
      yield* renewOnce(elector, retryPeriodMs).pipe(
        Effect.timeout(renewDeadlineMs),
        Effect.catchTag("TimeoutError", () => {
          elector.event("stopped leading")
          const failed = Effect.logInfo("Failed to renew lease").pipe(
            Effect.annotateLogs({ lock: leaseLost.lease, err: deadlineMessage })
          )
          return Effect.andThen(failed, Effect.fail(leaseLost))
        })
      )
    }
  })

export const LeaderElection = {
  /**
   * Waits until this candidate leads, then runs `lead` as long as it does. Ends when `lead` ends. Fails with LeaseLost
   * when the lease could not be renewed within the deadline, after interrupting `lead`. When it is interrupted itself,
   * it stops `lead`, and releases the lease if `releaseOnCancel` is set. Upstream:
   * client-go/tools/leaderelection/leaderelection.go.
   */
  run: <A, E, R>(
    options: LeaderElectionOptions,
    lead: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | LeaseLost, R | Cluster> =>
    Effect.gen(function* () {
      const times = { ...leaderElectionTimes, ...definedTimes(options) }
      const problem = leaderElectionProblem(times)
      if (problem !== undefined) return yield* Effect.die(new Error(problem))
      const elector = new Elector(yield* Cluster, options, times)
      const leaseLost = new LeaseLost({ lease: `${options.namespace}/${options.name}`, identity: options.identity })
      const electAndLead = Effect.gen(function* () {
        yield* acquire(elector, times.retryPeriodMs, leaseLost.lease)
        elector.event("became leader")
        return yield* Effect.raceFirst(lead, keepRenewing(elector, times, leaseLost))
      })
      return yield* Effect.ensuring(electAndLead, elector.release)
    })
}

const definedTimes = ({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: Partial<LeaderElectionTimes>) => ({
  ...(leaseDurationMs === undefined ? {} : { leaseDurationMs }),
  ...(renewDeadlineMs === undefined ? {} : { renewDeadlineMs }),
  ...(retryPeriodMs === undefined ? {} : { retryPeriodMs })
})
