import type { Timer } from "@rollcall/time"
import type { FlowState } from "./FlowConfiguration.ts"
import type { FlowQuestion, FlowWork, Place } from "./FlowControl.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"

/** Upstream: estimatedServiceDuration, what a request is taken to need before it is known. */
export const ESTIMATED_SECONDS = 0.003

export type TicketState = "new" | "waiting" | "executing" | "refused" | "done"

/** A request from its arrival to the end of its work. */
export class Ticket implements Place {
  readonly question: FlowQuestion
  readonly work: FlowWork
  readonly level: PriorityLevel
  readonly flow: FlowState
  /** What tells its flow apart within the schema. */
  readonly distinguisher: string
  readonly seats: number
  /** Seat-seconds that it is taken to need. */
  readonly estimate: number
  private readonly left: (ticket: Ticket) => void
  state: TicketState = "new"
  /** Progress of its level when it came, in seat-seconds. */
  arrivalR = 0
  /** When it came to the queue, and when its work began. */
  queuedMs = 0
  startedMs = 0
  queue: FlowQueue | undefined
  /** Neighbours in the queue. */
  next: Ticket | undefined
  previous: Ticket | undefined
  deadline: Timer | undefined

  constructor(
    question: FlowQuestion,
    work: FlowWork,
    level: PriorityLevel,
    flow: FlowState,
    distinguisher: string,
    seats: number,
    left: (ticket: Ticket) => void
  ) {
    this.question = question
    this.work = work
    this.level = level
    this.flow = flow
    this.distinguisher = distinguisher
    this.seats = seats
    this.estimate = seats * ESTIMATED_SECONDS
    this.left = left
  }

  get isWaiting(): boolean {
    return this.state === "waiting" || this.state === "refused"
  }

  get flowSchemaUid(): string {
    return this.flow.uid
  }

  get priorityLevelUid(): string {
    return this.level.uid
  }

  leave(): void {
    if (this.state !== "done") this.left(this)
  }
}

/** One of the queues of a priority level: requests in the order of their coming. Upstream: queueset/types.go, queue. */
export class FlowQueue {
  readonly index: number
  first: Ticket | undefined
  private last: Ticket | undefined
  /** Requests that wait. */
  waiting = 0
  /** Their seats, and the work that they are taken to be, in seat-seconds. */
  waitingSeats = 0
  waitingWork = 0
  executing = 0
  executingSeats = 0
  /** The progress of the level at which the next request is due. */
  nextDispatchR = 0

  constructor(index: number) {
    this.index = index
  }

  get isActive(): boolean {
    return this.waiting > 0 || this.executing > 0
  }

  add(ticket: Ticket): void {
    ticket.queue = this
    ticket.previous = this.last
    if (this.last === undefined) this.first = ticket
    else this.last.next = ticket
    this.last = ticket
    this.waiting++
    this.waitingSeats += ticket.seats
    this.waitingWork += ticket.estimate
  }

  remove(ticket: Ticket): void {
    const { next, previous } = ticket
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.last = previous
    else next.previous = previous
    ticket.next = undefined
    ticket.previous = undefined
    this.waiting--
    this.waitingSeats -= ticket.seats
    // Sums of fractions drift: an empty queue holds no work.
    this.waitingWork = this.waiting === 0 ? 0 : this.waitingWork - ticket.estimate
  }

  /** Work is not due before it came: who could have been served and did not ask saves nothing up. */
  bound(): void {
    if (this.first !== undefined && this.nextDispatchR < this.first.arrivalR) this.nextDispatchR = this.first.arrivalR
  }
}
