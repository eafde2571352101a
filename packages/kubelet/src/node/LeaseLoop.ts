import { type Lease, type Node, nodeLeaseNamespace, type OwnerReference } from "@rollcall/api"
import type { Answer } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Env, outcomeOf } from "../internal/Env.ts"
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

/**
 * Drives the heartbeat. In the steady state a renewal is one timer, one new Lease and one request; everything else is
 * LeaseSync's, which takes over when there is no lease or an update fails.
 */
export class LeaseLoop {
  private readonly env: Env
  private readonly intervalMs: number
  private held: Lease | undefined
  /** The pass under way, unless it is on the plain path. */
  private sync: LeaseSync<Lease> | undefined
  /** Of the Node that was read for the next write. */
  private owner: OwnerReference | undefined
  private timer: Timer | undefined
  private startedAtMs = 0
  /** Raised when a pass is given up: answers to it are not heard. */
  private turn = 0
  private onRenewed: (answer: Answer) => void = () => {}

  constructor(env: Env) {
    this.env = env
    this.intervalMs = env.model.leaseIntervalMs ?? env.config.nodeLeaseDurationSeconds * 1000 * RENEW_FRACTION
  }

  /** The process starts: it knows no lease. */
  start(): void {
    this.held = undefined
    this.startedAtMs = this.env.timers.now()
    this.passNow()
  }

  stop(): void {
    this.turn++
    this.sync = undefined
    if (this.timer !== undefined) this.env.timers.cancel(this.timer)
    this.timer = undefined
  }

  /** Gives up what a pass waits for and begins another. */
  passNow(): void {
    this.stop()
    const { turn } = this
    this.onRenewed = (answer) => {
      if (turn !== this.turn) return
      if (Result.isSuccess(answer)) {
        this.held = answer.success as Lease
        this.planNext()
      } else {
        const { state } = beginLeaseSync(this.held, hasOwner)
        this.run(leaseAnswered(state, outcomeOf(answer.failure), undefined, hasOwner))
      }
    }
    this.wake()
  }

  private readonly wake = (): void => {
    this.timer = undefined
    const { held, sync } = this
    if (sync !== undefined) this.run(leaseSlept(sync))
    else if (held !== undefined && hasOwner(held)) this.update(held, this.onRenewed)
    else this.run(beginLeaseSync(held, hasOwner))
  }

  private update(base: Lease, reply: (answer: Answer) => void): void {
    const { env } = this
    env.connection.send(
      {
        verb: "update",
        kind: "Lease",
        namespace: nodeLeaseNamespace,
        name: env.name,
        object: renewedLease(base, env.config.nodeLeaseDurationSeconds, env.microTime())
      },
      reply
    )
  }

  private planNext(): void {
    const { intervalMs, startedAtMs } = this
    const { chance, model, timers } = this.env
    const now = timers.now()
    const at = model.leaseOnGrid
      ? startedAtMs + (Math.floor((now - startedAtMs) / intervalMs) + 1) * intervalMs
      : now + intervalMs * (1 + model.leaseJitter * chance.next())
    this.timer = timers.at(at, this.wake)
  }

  private run({ action, heartbeatFailure, state }: LeaseStep<Lease>): void {
    const { connection, name, onHeartbeatFailure, timers } = this.env
    this.sync = state
    if (heartbeatFailure) onHeartbeatFailure?.()
    switch (action.type) {
      case "end":
        this.held = state.cached
        this.sync = undefined
        this.planNext()
        return
      case "sleep":
        this.timer = timers.after(action.ms, this.wake)
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
    const { config, name } = this.env
    return freshLease(name, config.nodeLeaseDurationSeconds, this.env.microTime())
  }

  private withOwner(lease: Lease): Lease {
    return this.owner === undefined || hasOwner(lease) ? lease : ownedLease(lease, this.owner)
  }

  private hears(listen: (answer: Answer, state: LeaseSync<Lease>) => void): (answer: Answer) => void {
    const { turn } = this
    return (answer) => {
      if (turn === this.turn && this.sync !== undefined) listen(answer, this.sync)
    }
  }

  private readonly ownerRead = (answer: Answer, state: LeaseSync<Lease>): void => {
    const found = Result.isSuccess(answer)
    if (found) this.owner = leaseOwner(answer.success as Node)
    this.run(leaseOwnerRead(state, found, hasOwner))
  }

  private readonly answered = (answer: Answer, state: LeaseSync<Lease>): void => {
    this.run(
      Result.isSuccess(answer)
        ? leaseAnswered(state, "ok", answer.success as Lease, hasOwner)
        : leaseAnswered(state, outcomeOf(answer.failure), undefined, hasOwner)
    )
  }
}
