/** Upstream: estimatedServiceDuration, what a request is taken to need before it is known. */
export const ESTIMATED_SECONDS = 0.003

/** A request as its queue sees it. */
export interface Queued {
  readonly seats: number
  /** Seat-seconds that it is taken to need. */
  readonly estimate: number
  /** Progress of its level when it came, in seat-seconds. */
  arrivalR: number
  queue: FlowQueue | undefined
  next: Queued | undefined
  previous: Queued | undefined
}

/** One of the queues of a priority level: requests in the order of their coming. Upstream: queueset/types.go, queue. */
export class FlowQueue {
  readonly index: number
  first: Queued | undefined
  private last: Queued | undefined
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

  add(request: Queued): void {
    request.queue = this
    request.previous = this.last
    if (this.last === undefined) this.first = request
    else this.last.next = request
    this.last = request
    this.waiting++
    this.waitingSeats += request.seats
    this.waitingWork += request.estimate
  }

  remove(request: Queued): void {
    const { next, previous } = request
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.last = previous
    else next.previous = previous
    request.next = undefined
    request.previous = undefined
    this.waiting--
    this.waitingSeats -= request.seats
    // Sums of fractions drift: an empty queue holds no work.
    this.waitingWork = this.waiting === 0 ? 0 : this.waitingWork - request.estimate
  }

  /** Work is not due before it came: who could have been served and did not ask saves nothing up. */
  bound(): void {
    if (this.first !== undefined && this.nextDispatchR < this.first.arrivalR) this.nextDispatchR = this.first.arrivalR
  }
}
