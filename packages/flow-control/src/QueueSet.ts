/** The estimated duration of a request in seconds, corrected when it ends. Upstream: estimatedServiceDuration. */
export const ESTIMATED_SECONDS = 0.003

/** The part of a request that its queue uses; the requests of a queue form a linked list. */
export interface QueuedRequest {
  readonly seats: number
  /** The estimated seat-seconds. */
  readonly estimate: number
  /** The level's virtual time when it arrived, in seat-seconds. */
  arrivalR: number
  queue: FlowQueue | undefined
  next: QueuedRequest | undefined
  previous: QueuedRequest | undefined
}

/** One queue of a priority level: requests in order of arrival. Upstream: queueset/types.go, queue. */
export class FlowQueue {
  readonly index: number
  first: QueuedRequest | undefined
  private last: QueuedRequest | undefined
  /** The number of waiting requests. */
  waiting = 0
  /** Their seats, and their estimated work in seat-seconds. */
  waitingSeats = 0
  waitingWork = 0
  executing = 0
  executingSeats = 0
  /** The virtual time at which the next request is due, in seat-seconds. */
  nextDispatchR = 0

  constructor(index: number) {
    this.index = index
  }

  get isActive(): boolean {
    return this.waiting > 0 || this.executing > 0
  }

  add(request: QueuedRequest): void {
    request.queue = this
    request.previous = this.last
    if (this.last === undefined) this.first = request
    else this.last.next = request
    this.last = request
    this.waiting++
    this.waitingSeats += request.seats
    this.waitingWork += request.estimate
  }

  remove(request: QueuedRequest): void {
    const { next, previous } = request
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.last = previous
    else next.previous = previous
    request.next = undefined
    request.previous = undefined
    this.waiting--
    this.waitingSeats -= request.seats
    // Sums of fractions accumulate errors: an empty queue is reset to zero.
    this.waitingWork = this.waiting === 0 ? 0 : this.waitingWork - request.estimate
  }

  /** Delays the next request to its arrival in virtual time: an idle queue accumulates no credit. */
  raiseToArrival(): void {
    if (this.first !== undefined && this.nextDispatchR < this.first.arrivalR) this.nextDispatchR = this.first.arrivalR
  }
}

/** How requests without a free seat are handled: they wait, are refused, or are exempt from limits. */
export type OverflowBehavior = "queue" | "reject" | "exempt"

/** The queues of a level: their number, how many one flow may use (its hand), and the length of each. */
export interface QueueSetConfig {
  readonly overflow: OverflowBehavior
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/**
 * The requests of one priority level: those with seats, those waiting in each queue, and which is next. Each queue gets
 * an equal share of the work over time, so that a flow that fills its queues delays others little.
 * Upstream: apiserver/pkg/util/flowcontrol/fairqueuing/queueset. There, virtual time advances with the clock, at the
 * speed of all seats together. Here requests run one after the other on one thread, far slower than that, and a new
 * queue would start behind all waiting requests. So virtual time is the work served (start-time fair queuing), which is
 * fair at any server speed.
 */
export class QueueSet {
  private config: QueueSetConfig
  /** The number of seats that may be used at a time. */
  limit: number
  private readonly queues = new Map<number, FlowQueue>()
  /** The queues with waiting requests, the least recently served first. */
  private readonly waitingQueues = new Set<FlowQueue>()
  /** Virtual time: the seat-seconds that an always active queue had been given when the last request started. */
  private progress = 0
  /** The number of searches for a queue so far. */
  private enqueues = 0
  waiting = 0
  waitingSeats = 0
  executing = 0
  seatsInUse = 0

  constructor(config: QueueSetConfig, limit: number) {
    this.config = config
    this.limit = limit
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing === 0
  }

  /** The number of seats that its requests could use, executing and waiting. */
  get demand(): number {
    return this.seatsInUse + this.waitingSeats
  }

  /** The virtual time: the work served, in seat-seconds. */
  get virtualTime(): number {
    return this.progress
  }

  /** The queues in use, in no particular order. */
  get all(): Iterable<FlowQueue> {
    return this.queues.values()
  }

  /** Applies a new configuration. Requests in removed queues are still served. */
  configure(config: QueueSetConfig): void {
    this.config = config
  }

  /** Whether a request that arrives now could start at once. */
  canStartNow(seats: number): boolean {
    return this.waiting === 0 && this.hasSeatsFor(seats)
  }

  /** Occupies the seats of a request that need not wait; `canStartNow` must be true. */
  startNow(request: QueuedRequest, hand: ReadonlyArray<number>): void {
    const queue = this.queueFor(hand)
    this.activate(queue)
    request.queue = queue
    this.occupySeats(request, queue)
  }

  /** Queues a request; returns the reason if that is not possible. */
  enqueue(request: QueuedRequest, hand: ReadonlyArray<number>): "queue-full" | "concurrency-limit" | undefined {
    if (this.config.overflow === "reject" && !this.mayReserve(request.seats)) return "concurrency-limit"
    const queue = this.queueFor(hand)
    if (this.config.overflow === "queue" && queue.waiting >= this.config.queueLengthLimit) return "queue-full"
    this.activate(queue)
    request.arrivalR = this.progress
    queue.add(request)
    this.waitingQueues.add(queue)
    queue.raiseToArrival()
    this.waiting++
    this.waitingSeats += request.seats
    return undefined
  }

  /**
   * Returns the next request; undefined if none waits, or if its seats are not free: later ones do not overtake it,
   * because requests for many seats would then starve.
   */
  nextRequest(): QueuedRequest | undefined {
    if (this.waiting === 0) return undefined
    let best: QueuedRequest | undefined
    let least = Number.POSITIVE_INFINITY
    for (const { first, nextDispatchR } of this.waitingQueues) {
      if (first === undefined || nextDispatchR + first.estimate >= least) continue
      least = nextDispatchR + first.estimate
      best = first
    }
    return best !== undefined && this.hasSeatsFor(best.seats) ? best : undefined
  }

  /** Moves the request that `nextRequest` returned from its queue to its seats. */
  dispatch(request: QueuedRequest): void {
    const queue = request.queue as FlowQueue
    this.dequeue(request, queue)
    this.occupySeats(request, queue)
    queue.raiseToArrival()
    // Among equally served queues, the others are first now.
    if (this.waitingQueues.delete(queue)) this.waitingQueues.add(queue)
  }

  /** Removes a waiting request that will not be served. */
  remove(request: QueuedRequest): void {
    const queue = request.queue as FlowQueue
    this.dequeue(request, queue)
    queue.raiseToArrival()
  }

  /** Frees the seats of a request, and replaces its estimated duration by the true one. */
  finish(request: QueuedRequest, seconds: number): void {
    const queue = request.queue as FlowQueue
    this.executing--
    this.seatsInUse -= request.seats
    queue.executing--
    queue.executingSeats -= request.seats
    queue.nextDispatchR -= (ESTIMATED_SECONDS - seconds) * request.seats
    queue.raiseToArrival()
  }

  private hasSeatsFor(seats: number): boolean {
    if (this.config.overflow === "exempt") return true
    // Without seats none leaves a queue. Upstream: dispatchAsMuchAsPossibleLocked.
    if (this.limit <= 0 && this.config.overflow === "queue") return false
    // A request for more seats than there are executes alone.
    if (seats > this.limit) return this.executing === 0
    return this.seatsInUse + seats <= this.limit
  }

  /** Whether a seat is free besides the used ones and those reserved for waiting requests. */
  private mayReserve(seats: number): boolean {
    if (seats > this.limit) return this.isIdle && this.limit > 0
    return this.demand + seats <= this.limit
  }

  /** Returns the queue of the hand with the least work; the search starts at a different one each time. */
  private queueFor(hand: ReadonlyArray<number>): FlowQueue {
    const offset = this.enqueues++ % hand.length
    let best: FlowQueue | undefined
    for (let index = 0; index < hand.length; index++) {
      const queue = this.queue(hand[(offset + index) % hand.length] as number)
      if (best === undefined || queue.waitingWork < best.waitingWork) best = queue
      if (best.waitingWork === 0) break
    }
    return best as FlowQueue
  }

  private queue(index: number): FlowQueue {
    const known = this.queues.get(index)
    if (known !== undefined) return known
    const made = new FlowQueue(index)
    this.queues.set(index, made)
    return made
  }

  private activate(queue: FlowQueue): void {
    if (!queue.isActive) queue.nextDispatchR = this.progress
  }

  private occupySeats(request: QueuedRequest, queue: FlowQueue): void {
    this.executing++
    this.seatsInUse += request.seats
    queue.executing++
    queue.executingSeats += request.seats
    if (queue.nextDispatchR > this.progress) this.progress = queue.nextDispatchR
    queue.nextDispatchR += request.estimate
  }

  private dequeue(request: QueuedRequest, queue: FlowQueue): void {
    queue.remove(request)
    if (queue.waiting === 0) this.waitingQueues.delete(queue)
    this.waiting--
    this.waitingSeats -= request.seats
  }
}
