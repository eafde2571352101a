import { formatMicroTime, type Lease, type Node, nodeLeaseNamespace, type OwnerReference } from "@rollcall/api"
import { type Answer, type ClusterError, type ComponentLog, type Connection, isNotFound } from "@rollcall/cluster"
import { draw, errorText, nextState, type RngState, Timer, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Env, outcomeOf } from "../internal/Env.ts"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { KubeletModel } from "../KubeletModel.ts"
import { leaseFailureLines } from "./LeaseLog.ts"
import { freshLease, hasOwner, leaseOwner, ownedLease, renewedLease } from "./LeaseRenewal.ts"
import {
  beginLeaseSync,
  type LeaseStep,
  type LeaseSync,
  leaseAnswered,
  leaseOwnerRead,
  leaseSlept
} from "./LeaseSync.ts"

const RENEW_FRACTION = 0.25

const gridAfter = (startMs: number, intervalMs: number, now: number): number =>
  startMs + (Math.floor((now - startMs) / intervalMs) + 1) * intervalMs

/**
 * Renews the node's Lease. In the steady state a renewal is one timer, one new Lease and one request; LeaseSync
 * handles everything else: a missing lease or a failed update.
 */
export class LeaseController extends Timer {
  // Fields for a renewal come first: five thousand nodes are renewed in turn, and each further memory access is a
  // cache miss.
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly name: string
  private held: Lease | undefined
  /** `held` is the result of the last sync, with an owner reference: it can be renewed directly. */
  private plain = false
  /** Increased when a sync is cancelled: answers to it are ignored. */
  private turn = 0
  /** How far the node's clock is ahead of the world's. */
  clockSkewMs = 0
  // Shared by many kubelets, so likely cached.
  private readonly config: KubeletConfig
  private readonly model: KubeletModel
  private seed: RngState
  private spreadNext = false
  private startedAtMs = 0
  /** The sync in progress; undefined for a direct renewal. */
  private sync: LeaseSync<Lease> | undefined
  /** The owner reference from the Node that was read for the next write. */
  private owner: OwnerReference | undefined
  private readonly onHeartbeatFailure: (() => void) | undefined
  private readonly log: ComponentLog
  private trouble: string | undefined

  constructor(env: Env) {
    super()
    const { chance, config, model } = env
    this.connection = env.connection
    this.timers = env.timers
    this.name = env.name
    this.config = config
    this.model = model
    this.seed = nextState(chance.state)
    this.onHeartbeatFailure = env.onHeartbeatFailure
    this.log = env.log
  }

  /** Why the last read or write of the Lease failed; undefined: it did not. */
  get problem(): string | undefined {
    return this.trouble
  }

  /** The process starts without a lease. */
  start(): void {
    this.held = undefined
    this.plain = false
    this.trouble = undefined
    this.startedAtMs = this.timers.now()
    this.spreadNext = this.model.leaseSpread
    this.passNow()
  }

  stop(): void {
    this.turn++
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
      if (this.plain && this.held !== undefined) this.renew(this.held)
      else if (this.sync !== undefined) this.run(leaseSlept(this.sync))
      else this.run(beginLeaseSync(this.held, hasOwner))
    } catch (error) {
      this.failed(error)
    }
  }

  /** An exception ends the sync: the next one, at its time, starts without a lease. */
  private failed(error: unknown): void {
    this.turn++
    this.sync = undefined
    this.held = undefined
    this.plain = false
    this.trouble = errorText(error)
    this.timers.handleError("node lease", error, { node: this.name })
    this.planNext()
  }

  /** The usual renewal. Its listener is allocated each time: a kept one would have left the CPU's caches by then. */
  private renew(held: Lease): void {
    const { turn } = this
    this.update(held, (answer) => {
      if (turn !== this.turn) return
      try {
        if (Result.isSuccess(answer)) {
          this.held = answer.success as Lease
          this.planNext()
        } else {
          this.plain = false
          const { state } = beginLeaseSync(this.held, hasOwner)
          const step = leaseAnswered(state, outcomeOf(answer.failure), undefined, hasOwner)
          this.tell(state, step, answer.failure)
          this.run(step)
        }
      } catch (error) {
        this.failed(error)
      }
    })
  }

  private update(base: Lease, reply: (answer: Answer) => void): void {
    const { name } = this
    const renewTime = formatMicroTime(this.timers.now() + this.clockSkewMs)
    const object = renewedLease(base, this.config.nodeLeaseDurationSeconds, renewTime)
    this.connection.send({ verb: "update", kind: "Lease", namespace: nodeLeaseNamespace, name, object }, reply)
  }

  private tell(before: LeaseSync<Lease>, step: LeaseStep<Lease>, error: ClusterError): void {
    const { name: node } = this
    const failure = { err: error.message, isMissing: isNotFound(error), node, intervalMs: this.intervalMs() }
    const lines = leaseFailureLines(before, step, failure)
    if (lines.length > 0) this.trouble = error.message
    for (const { fields, message, severity } of lines) this.log(severity, message, fields)
  }

  private intervalMs(): number {
    return this.model.leaseIntervalMs ?? this.config.nodeLeaseDurationSeconds * 1000 * RENEW_FRACTION
  }

  private planNext(): void {
    const { model, timers } = this
    const intervalMs = this.intervalMs()
    const jitterMs = intervalMs * model.leaseJitter
    const now = timers.now()
    let at = now + intervalMs
    if (this.spreadNext) {
      this.spreadNext = false
      this.seed = nextState(this.seed)
      at = now + intervalMs * draw(this.seed)
    } else if (model.leaseOnGrid) at = gridAfter(this.startedAtMs, intervalMs, now)
    else if (jitterMs > 0) {
      this.seed = nextState(this.seed)
      at += jitterMs * draw(this.seed)
    }
    timers.plan(this, at)
  }

  private run({ action, heartbeatFailure, state }: LeaseStep<Lease>): void {
    const { connection, name } = this
    this.sync = state
    if (heartbeatFailure) this.onHeartbeatFailure?.()
    switch (action.type) {
      case "end":
        this.held = state.cached
        this.plain = this.held !== undefined && hasOwner(this.held)
        this.sync = undefined
        this.planNext()
        return
      case "sleep":
        this.timers.plan(this, this.timers.now() + action.ms)
        return
      case "getOwner":
        connection.send({ verb: "get", kind: "Node", name }, this.hears(this.ownerRead))
        return
      case "get":
        connection.send({ verb: "get", kind: "Lease", namespace: nodeLeaseNamespace, name }, this.hears(this.answered))
        return
      case "create": {
        const object = this.withOwner(this.fresh())
        connection.send(
          { verb: "create", kind: "Lease", namespace: nodeLeaseNamespace, object },
          this.hears(this.answered)
        )
        return
      }
      case "update":
        this.update(this.withOwner(action.base ?? this.fresh()), this.hears(this.answered))
        return
    }
  }

  private fresh(): Lease {
    return freshLease(
      this.name,
      this.config.nodeLeaseDurationSeconds,
      formatMicroTime(this.timers.now() + this.clockSkewMs)
    )
  }

  private withOwner(lease: Lease): Lease {
    return this.owner === undefined || hasOwner(lease) ? lease : ownedLease(lease, this.owner)
  }

  private hears(listen: (answer: Answer, state: LeaseSync<Lease>) => void): (answer: Answer) => void {
    const { turn } = this
    return (answer) => {
      if (turn !== this.turn || this.sync === undefined) return
      try {
        listen(answer, this.sync)
      } catch (error) {
        this.failed(error)
      }
    }
  }

  private readonly ownerRead = (answer: Answer, state: LeaseSync<Lease>): void => {
    const found = Result.isSuccess(answer)
    if (found) this.owner = leaseOwner(answer.success as Node)
    const step = leaseOwnerRead(state, found, hasOwner)
    if (!found) this.tell(state, step, answer.failure)
    this.run(step)
  }

  private readonly answered = (answer: Answer, state: LeaseSync<Lease>): void => {
    if (Result.isSuccess(answer)) {
      const step = leaseAnswered(state, "ok", answer.success as Lease, hasOwner)
      if (step.action.type === "end") this.trouble = undefined
      this.run(step)
    } else {
      const step = leaseAnswered(state, outcomeOf(answer.failure), undefined, hasOwner)
      this.tell(state, step, answer.failure)
      this.run(step)
    }
  }
}
