import { formatMicroTime, type Lease, type Node, nodeLeaseNamespace, type OwnerReference } from "@rollcall/api"
import {
  type Answer,
  type ClusterError,
  type ComponentLog,
  type Connection,
  type CutStay,
  type HeartbeatOwner,
  type HeartbeatStay,
  noLog
} from "@rollcall/cluster"
import { errorText, nextState, type RngState, Timer, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Env, outcomeOf } from "../internal/Env.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { KubeletModel } from "../KubeletModel.ts"
import { enterCutReads } from "./CutReads.ts"
import { leaseFailureLines } from "./LeaseLog.ts"
import { hasOwner, leaseRead, newLease, nodeOwnerReference, renewedLease, withOwner } from "./LeaseRenewal.ts"
import {
  beginLeaseSync,
  type LeaseStep,
  type LeaseSync,
  leaseAnswered,
  leaseOwnerRead,
  leaseSlept
} from "./LeaseSync.ts"
import { nextRenewal, renewalIntervalMs } from "./LeaseTimes.ts"

/**
 * Renews the node's Lease. In the steady state a renewal is one timer, one new Lease and one request; LeaseSync handles
 * everything else: a missing lease or a failed update.
 */
export class LeaseController extends Timer {
  // Fields for a renewal come first: of 5,000 leases each further memory access is a cache miss.
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly name: string
  /** The Lease as the API server last returned it. */
  private current: Lease | undefined
  /** Whether `current` is the result of the last sync and has an owner reference, so that it needs no sync. */
  private canRenewDirectly = false
  /** The number of the current sync. It is increased when a sync is cancelled: answers to that sync are ignored. */
  private syncNumber = 0
  /** The stay of the renewals in columns; undefined while this controller makes each itself. */
  private stay: HeartbeatStay | undefined
  private clockSkewMs = 0
  /** The latest time that a clock ahead of `timers` has written: an earlier one is no sign of life. */
  private latestWrittenMs = 0
  private readonly config: KubeletConfig
  private readonly model: KubeletModel
  /** The state of the generator of this lease's jitter. */
  private seed: RngState
  /** Whether the next interval ends at a random point of it, see `KubeletModel.leaseSpread`. */
  private spreadNext = false
  private startedAtMs = 0
  /** The sync in progress; undefined for a direct renewal. */
  private sync: LeaseSync<Lease> | undefined
  /** The owner reference from the Node that was read for the next write. */
  private owner: OwnerReference | undefined
  private readonly onHeartbeatFailure: (() => void) | undefined
  private readonly log: ComponentLog
  private lastProblem: string | undefined
  /** The stay of the reads at a cut link; undefined while this controller sends each itself. */
  private cut: CutStay | undefined

  constructor(env: Env) {
    super()
    const { random, config, model } = env
    this.connection = env.connection
    this.timers = env.timers
    this.name = env.name
    this.config = config
    this.model = model
    this.seed = nextState(random.state)
    this.onHeartbeatFailure = env.onHeartbeatFailure
    this.log = env.log
  }

  /** Whether no sync is in progress, of a process that has begun one. */
  get isSynced(): boolean {
    return this.sync === undefined
  }

  /** The error of the last read or write of the Lease; undefined if it succeeded. */
  get problem(): string | undefined {
    return this.lastProblem
  }

  /** Starts the first sync of a kubelet process, which has no cached lease. */
  start(): void {
    this.current = undefined
    this.canRenewDirectly = false
    this.lastProblem = undefined
    this.startedAtMs = this.timers.now()
    this.spreadNext = this.model.leaseSpread
    this.passNow()
  }

  /** Sets how far the node's clock is ahead of `timers`, in milliseconds. It affects the times that are written. */
  setClockSkew(skewMs: number): void {
    this.stay?.leave()
    if (this.clockSkewMs > 0)
      this.latestWrittenMs = Math.max(this.latestWrittenMs, this.timers.now() + this.clockSkewMs)
    this.clockSkewMs = skewMs
  }

  stop(): void {
    this.stay?.cancel()
    this.stay = undefined
    this.cut?.end()
    this.cut = undefined
    this.syncNumber++
    this.sync = undefined
    this.timers.cancel(this)
  }

  /** Cancels the sync in flight and starts a new one. */
  passNow(): void {
    this.stop()
    this.fire()
  }

  fire(): void {
    try {
      if (this.canRenewDirectly && this.current !== undefined) this.renew(this.current)
      else if (this.sync !== undefined) this.run(leaseSlept(this.sync))
      else this.run(beginLeaseSync(this.current, hasOwner))
    } catch (error) {
      this.endSyncAfterError(error)
    }
  }

  /** Ends the sync after an exception. The next sync starts after the usual interval, without a cached lease. */
  private endSyncAfterError(error: unknown): void {
    this.syncNumber++
    this.sync = undefined
    this.current = undefined
    this.canRenewDirectly = false
    this.lastProblem = errorText(error)
    this.timers.handleError("node lease", error, { node: this.name })
    this.planNext()
  }

  /**
   * Renews the lease with one PUT. The callback is allocated for each call: one that is kept in a field would have left
   * the CPU's caches by the next renewal.
   */
  private renew(current: Lease): void {
    const { syncNumber } = this
    this.update(current, (answer) => {
      if (syncNumber !== this.syncNumber) return
      try {
        if (Result.isSuccess(answer)) {
          this.current = answer.success as Lease
          if (!this.enterColumns(this.current)) this.planNext()
        } else {
          this.canRenewDirectly = false
          const { state } = beginLeaseSync(this.current, hasOwner)
          const step = leaseAnswered(state, outcomeOf(answer.failure), undefined, hasOwner)
          this.logFailure(state, step, answer.failure)
          this.run(step)
        }
      } catch (error) {
        this.endSyncAfterError(error)
      }
    })
  }

  private update(base: Lease, reply: (answer: Answer) => void): void {
    const { name } = this
    const renewTime = formatMicroTime(this.timers.now() + this.clockSkewMs)
    const object = renewedLease(base, this.config.nodeLeaseDurationSeconds, renewTime)
    this.connection.send({ verb: "update", kind: "Lease", namespace: nodeLeaseNamespace, name, object }, reply)
  }

  private logFailure(before: LeaseSync<Lease>, step: LeaseStep<Lease>, error: ClusterError): void {
    const intervalMs = renewalIntervalMs(this.config, this.model)
    const lines = leaseFailureLines(before, step, { error, node: this.name, intervalMs })
    if (lines.length > 0) this.lastProblem = error.message
    for (const { fields, message, severity } of lines) this.log(severity, message, fields)
  }

  /** Hands the renewals over to columns, if the connection has them and each renewal would be like the last one. */
  private enterColumns(lease: Lease): boolean {
    const { connection, model, name } = this
    if (connection.heartbeats === undefined || this.spreadNext || model.leaseOnGrid) return false
    if (this.clockSkewMs !== 0 || this.timers.now() < this.latestWrittenMs) return false
    const intervalMs = renewalIntervalMs(this.config, model)
    const owner: HeartbeatOwner = {
      name,
      object: lease,
      made: (made) => {
        this.current = made as Lease
      },
      left: ({ nextSeed }) => {
        this.seed = nextSeed
      },
      fire: () => {
        this.stay = undefined
        this.fire()
      }
    }
    const times = { intervalMs, jitterMs: intervalMs * model.leaseJitter, seed: this.seed }
    this.stay = connection.heartbeats.enterRenewals(owner, times)
    return this.stay !== undefined
  }

  /** Sets the timer for the next sync. */
  private planNext(): void {
    const { config, model, seed, spreadNext: spreadsNext, startedAtMs, timers } = this
    const next = nextRenewal(config, model, { nowMs: timers.now(), seed, spreadsNext, startedAtMs })
    this.spreadNext = false
    this.seed = next.seed
    timers.plan(this, next.atMs)
  }

  private run({ action, heartbeatFailure, state }: LeaseStep<Lease>): void {
    const { connection, name } = this
    const lease = { kind: "Lease", namespace: nodeLeaseNamespace } as const
    this.sync = state
    if (heartbeatFailure) this.onHeartbeatFailure?.()
    switch (action.type) {
      case "end":
        this.current = state.cached
        this.canRenewDirectly = this.current !== undefined && hasOwner(this.current)
        this.sync = undefined
        this.planNext()
        return
      case "sleep":
        this.timers.plan(this, this.timers.now() + action.ms)
        return
      case "getOwner":
        connection.send({ verb: "get", kind: "Node", name }, this.unlessCancelled(this.ownerRead))
        return
      case "get":
        if (!this.waitsForLink(state)) connection.send(leaseRead(name), this.unlessCancelled(this.answered))
        return
      case "create":
        connection.send({ verb: "create", ...lease, object: this.newLeaseNow() }, this.unlessCancelled(this.answered))
        return
      case "update":
        this.update(
          action.base === undefined ? this.newLeaseNow() : withOwner(action.base, this.owner),
          this.unlessCancelled(this.answered)
        )
        return
    }
  }

  /** Leaves reads to be computed if the link is cut; a log would show each, and those of a grid coincide. */
  private waitsForLink(sync: LeaseSync<Lease>): boolean {
    if (this.log !== noLog || this.model.leaseOnGrid) return false
    this.cut = enterCutReads(this.connection, this.timers, this.name, sync, ({ state, wakesAtMs }, send) => {
      this.cut = undefined
      this.sync = state
      if (wakesAtMs !== undefined) this.timers.plan(this, wakesAtMs)
      else send(this.unlessCancelled(this.answered))
    })
    return this.cut !== undefined
  }

  private newLeaseNow(): Lease {
    const renewTime = formatMicroTime(this.timers.now() + this.clockSkewMs)
    return withOwner(newLease(this.name, this.config.nodeLeaseDurationSeconds, renewTime), this.owner)
  }

  /** Returns a callback that passes an answer to `handle`, unless its sync has been cancelled or has ended. */
  private unlessCancelled(handle: (answer: Answer, state: LeaseSync<Lease>) => void): (answer: Answer) => void {
    const { syncNumber } = this
    return (answer) => {
      if (syncNumber !== this.syncNumber || this.sync === undefined) return
      try {
        handle(answer, this.sync)
      } catch (error) {
        this.endSyncAfterError(error)
      }
    }
  }

  private readonly ownerRead = (answer: Answer, state: LeaseSync<Lease>): void => {
    const found = Result.isSuccess(answer)
    if (found) this.owner = nodeOwnerReference(answer.success as Node)
    const step = leaseOwnerRead(state, found, hasOwner)
    if (!found) this.logFailure(state, step, answer.failure)
    this.run(step)
  }

  private readonly answered = (answer: Answer, state: LeaseSync<Lease>): void => {
    if (Result.isSuccess(answer)) {
      const step = leaseAnswered(state, "ok", answer.success as Lease, hasOwner)
      if (step.action.type === "end") this.lastProblem = undefined
      this.run(step)
    } else {
      const step = leaseAnswered(state, outcomeOf(answer.failure), undefined, hasOwner)
      this.logFailure(state, step, answer.failure)
      this.run(step)
    }
  }
}
