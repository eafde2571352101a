import type { TimersShape } from "@rollcall/time"
import type { RefusalReason } from "./FlowConfiguration.ts"
import { FlowConfiguration, type Route } from "./FlowConfiguration.ts"
import type { FlowRequest, FlowWork } from "./FlowControl.ts"
import { listSeats } from "./limits.ts"
import { flowDistinguisher } from "./matchFlowSchema.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"
import { Ticket } from "./Ticket.ts"

export interface DispatcherOptions {
  /** The server's seats: the number of requests that execute at a time. */
  readonly seats: number
  readonly timers: TimersShape
  /** Runs a callback after the event loop has processed input and output. */
  readonly nextTurn: (callback: () => void) => void
  /** Returns the number of objects of a kind. */
  readonly objectCount: (group: string, resource: string) => number
  /** How long requests may run before the event loop processes input and output. Default 5. */
  readonly turnMs?: number
}

/** Long enough that the overhead of a time slice is negligible, short enough that ten of them are not noticeable. */
const TURN_MS = 5
/** Exempt requests are never refused: beyond this many waiting ones, they run at once. */
const MAX_EXEMPT_WAITING = 20_000
/** The fraction of a slice in which refused requests are answered; more, if nothing else waits. */
const REFUSALS_SHARE = 0.2
/**
 * Beyond this many waiting refusals, further ones are answered at once: each occupies a connection or a stream of one.
 */
const MAX_PENDING_REFUSALS = 20_000

/**
 * Starts requests: those for which seats are free, and which are next, until their time slice ends. Most requests
 * complete within `start`, so seats alone would not keep one client from using the whole thread: a slice of `turnMs`
 * ends, and later requests wait for the next one, in which priority levels and flows get their shares. While no request
 * waits and the slice lasts, a request starts on arrival.
 */
export class Dispatcher {
  readonly configuration: FlowConfiguration
  private readonly options: DispatcherOptions
  private readonly turnMs: number
  /** Milliseconds of work since the event loop last processed input and output, as far as is known. */
  private spentMs = 0
  private isPlanned = false
  /**
   * The pass of the level that was served last (see `PriorityLevel.pass`): a level that becomes active starts there.
   */
  private pass = 0
  /** Refused requests that have not been answered. */
  private readonly refusals: Array<Ticket> = []
  /** Called when a level that is being removed has no requests left. */
  onIdle: () => void = () => {}

  constructor(options: DispatcherOptions) {
    this.options = options
    this.turnMs = options.turnMs ?? TURN_MS
    this.configuration = new FlowConfiguration(options.seats, options.timers.now())
  }

  /** Starts a request, queues it, or refuses it. */
  readonly enter = (request: FlowRequest, work: FlowWork): Ticket => {
    const route = this.configuration.classify(request.info, request.user)
    const { flow, level } = route
    const { handSize, queues } = level.config
    const distinguisher = level.isExempt
      ? request.user.user
      : flowDistinguisher(request.info, request.user, flow.schema)
    const ticket = new Ticket(request, work, level, flow, distinguisher, this.seatsOf(request, level), this.leave)
    // The hand of a flow: the numbers of the queues that it may use.
    const hand = queues === 1 ? FIRST_QUEUE : flow.handOf(distinguisher, queues, handSize)
    flow.seats.observe(ticket.seats)
    const isCrowded = level.isExempt && this.isCrowded(level)
    if (isCrowded || (!this.isPlanned && this.spentMs < this.turnMs && level.queues.canStartNow(ticket.seats))) {
      level.queues.startNow(ticket, hand)
      if (!level.isExempt) flow.queueLengths.observe(1)
      this.run(ticket)
      return ticket
    }
    this.wait(ticket, route, hand)
    return ticket
  }

  private isCrowded({ queues }: PriorityLevel): boolean {
    return queues.waiting >= MAX_EXEMPT_WAITING
  }

  /** Schedules a slice: seats may have become free other than by the end of a request. */
  wake(): void {
    for (const { queues } of this.configuration.levels.values()) if (queues.waiting > 0) this.plan()
  }

  private seatsOf({ info, listLimit: limit }: FlowRequest, { isExempt, maxSeats }: PriorityLevel): number {
    if (limit === undefined || isExempt) return 1
    const count = this.options.objectCount(info.group, info.resource)
    return listSeats({ count, limit, isSingle: info.name !== "", maxSeats })
  }

  private wait(ticket: Ticket, { flow, level }: Route, hand: ReadonlyArray<number>): void {
    const { timers } = this.options
    const now = timers.now()
    ticket.queuedMs = now
    if (level.queues.waiting === 0) level.pass = Math.max(level.pass, this.pass)
    const refusal = level.queues.enqueue(ticket, hand)
    if (refusal !== undefined) {
      this.refuse(ticket, refusal)
      return
    }
    ticket.state = "waiting"
    flow.queueLengths.observe(ticket.queue?.waiting ?? 0)
    flow.waiting++
    flow.waitingSeats += ticket.seats
    level.demand.set(level.queues.demand, now)
    ticket.deadline = timers.after(ticket.request.waitMs, () => this.expire(ticket))
    this.plan()
  }

  private expire(ticket: Ticket): void {
    if (ticket.state !== "waiting") return
    ticket.level.cancelled++
    this.withdraw(ticket)
    this.refuse(ticket, "time-out")
  }

  /** Removes a request from its queue. */
  private withdraw(ticket: Ticket): void {
    const { level } = ticket
    level.queues.remove(ticket)
    this.endWait(ticket)
    level.demand.set(level.queues.demand, this.options.timers.now())
  }

  private endWait(ticket: Ticket): void {
    ticket.flow.waiting--
    ticket.flow.waitingSeats -= ticket.seats
    if (ticket.deadline !== undefined) this.options.timers.cancel(ticket.deadline)
    ticket.deadline = undefined
  }

  private refuse(ticket: Ticket, reason: RefusalReason): void {
    const { flow, level } = ticket
    const now = this.options.timers.now()
    ticket.state = "refused"
    flow.rejected[reason]++
    flow.waitSeconds.false.observe((now - ticket.queuedMs) / 1000)
    level.rejected++
    level.dropped.record(now)
    if (!this.isPlanned || this.refusals.length >= MAX_PENDING_REFUSALS) this.answerRefusal(ticket)
    else this.refusals.push(ticket)
  }

  private answerRefusal(ticket: Ticket): void {
    const { level, state, work } = ticket
    if (state !== "refused") return
    const startedMs = this.options.timers.now()
    ticket.state = "done"
    try {
      work.refuse(ticket, level.dropped.retryAfter)
    } finally {
      this.spentMs += this.options.timers.now() - startedMs
    }
  }

  /** Answers waiting refusals, oldest first, in their fraction of the slice: refused clients retry at once. */
  private answerRefusals(): void {
    const until = this.spentMs + this.turnMs * REFUSALS_SHARE
    let answered = 0
    while (answered < this.refusals.length && this.spentMs < until) {
      this.answerRefusal(this.refusals[answered++] as Ticket)
    }
    this.refusals.splice(0, answered)
  }

  /** Starts the work of a request that has its seats. */
  private run(ticket: Ticket): void {
    const { flow, level, work } = ticket
    const { timers } = this.options
    const startedMs = timers.now()
    ticket.state = "executing"
    ticket.startedMs = startedMs
    flow.dispatched++
    flow.executing++
    flow.executingSeats += ticket.seats
    level.dispatched++
    if (!level.isExempt) {
      const waitedMs = ticket.queuedMs === 0 ? 0 : startedMs - ticket.queuedMs
      flow.waitSeconds.true.observe(waitedMs / 1000)
    }
    level.demand.set(level.queues.demand, startedMs)
    this.pass = Math.max(this.pass, level.pass)
    try {
      work.start(ticket)
    } finally {
      const spentMs = timers.now() - startedMs
      this.spentMs += spentMs
      level.pass += spentMs / this.weightOf(level)
    }
  }

  private readonly leave = (ticket: Ticket): void => {
    if (ticket.state === "waiting") {
      ticket.level.cancelled++
      ticket.level.rejected++
      ticket.flow.rejected["time-out"]++
      this.withdraw(ticket)
      ticket.state = "done"
      return
    }
    if (ticket.state === "executing") this.finish(ticket)
    // A pending refusal of it is skipped.
    else ticket.state = "done"
  }

  private finish(ticket: Ticket): void {
    const { flow, level, request } = ticket
    const now = this.options.timers.now()
    const seconds = (now - ticket.startedMs) / 1000
    ticket.state = "done"
    flow.executing--
    flow.executingSeats -= ticket.seats
    flow.executionSeconds[request.info.verb === "watch" ? "watch" : "regular"].observe(seconds)
    level.queues.finish(ticket, seconds)
    level.demand.set(level.queues.demand, now)
    if (level.queues.waiting > 0) this.plan()
    else if (level.isQuiescing && level.queues.isIdle) this.onIdle()
  }

  private plan(): void {
    if (this.isPlanned) return
    this.isPlanned = true
    this.options.nextTurn(this.turn)
  }

  /** Runs one slice: starts requests until the time is over. An error ends the slice, and the next one continues. */
  private readonly turn = (): void => {
    this.spentMs = 0
    let isOver = false
    try {
      this.answerRefusals()
      for (let ticket = this.next(); ticket !== undefined; ticket = this.next()) {
        if (this.spentMs >= this.turnMs) return
        ticket.level.queues.dispatch(ticket)
        this.endWait(ticket)
        this.run(ticket)
      }
      isOver = this.refusals.length === 0
    } finally {
      this.isPlanned = !isOver
      if (!isOver) this.options.nextTurn(this.turn)
    }
  }

  /** Returns the next request, of the level that has had the least time for each of its seats. */
  private next(): Ticket | undefined {
    let best: Ticket | undefined
    for (const level of this.configuration.levels.values()) {
      // A level queues only tickets.
      const due = level.queues.nextRequest() as Ticket | undefined
      if (due !== undefined && (best === undefined || level.pass < best.level.pass)) best = due
    }
    return best
  }

  /**
   * Returns the weight of a level's share of the thread, its nominal seats: borrowed seats are for requests that wait
   * for something else, and give no larger share of the thread.
   */
  private weightOf({ isExempt, limits }: PriorityLevel): number {
    return isExempt ? this.options.seats : Math.max(1, limits.nominal)
  }
}

const FIRST_QUEUE: ReadonlyArray<number> = [0]
