import type { Ticket } from "./Ticket.ts"

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
