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

/** What becomes of requests for which there is no seat: they wait, are refused, or there always is one. */
export type Manner = "queue" | "reject" | "exempt"

export interface QueueSetConfig {
  readonly manner: Manner
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/**
 * The requests of one priority level: which of them have seats, which wait in which queue, and whose turn is next. Each queue gets
 * the same part of the work that is done over time, whatever is in it, so that a flow which fills its queues delays the others little.
 *
 * Upstream: apiserver/pkg/util/flowcontrol/fairqueuing/queueset. There virtual time runs with the clock, as fast as all seats together
 * could work. Here requests run one after another on one thread, far slower than that: a queue that is new would begin behind all that
 * wait. So virtual time is what has been served (start-time fair queuing): fair whatever the speed of the server.
 */
export class QueueSet {
  private config: QueueSetConfig
  /** Seats that may be taken at a time. */
  limit: number
  private readonly queues = new Map<number, FlowQueue>()
  /** Those in which requests wait, the least recently served first. */
  private readonly filled = new Set<FlowQueue>()
  /** Virtual time: the seat-seconds that a queue had been given which was always active, when the last request began. */
  private progress = 0
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

  /** The seats that it could use. */
  get demand(): number {
    return this.seatsInUse + this.waitingSeats
  }

  /** Queues that are in use, in no particular order. */
  get all(): Iterable<FlowQueue> {
    return this.queues.values()
  }

  /** Requests in queues that there are no more under the new configuration are served as before. */
  configure(config: QueueSetConfig): void {
    this.config = config
  }

  /** Whether a request that comes now could begin at once. */
  isFree(seats: number): boolean {
    return this.waiting === 0 && this.fits(seats)
  }

  /** Takes the seats of a request that did not wait; `isFree` has said so. */
  begin(request: Queued, hand: ReadonlyArray<number>): void {
    const queue = this.queueFor(hand)
    this.activate(queue)
    request.queue = queue
    this.seat(request, queue)
  }

  /** Lets a request wait; a reason where it cannot. */
  enqueue(request: Queued, hand: ReadonlyArray<number>): "queue-full" | "concurrency-limit" | undefined {
    if (this.config.manner === "reject" && !this.mayReserve(request.seats)) return "concurrency-limit"
    const queue = this.queueFor(hand)
    if (this.config.manner === "queue" && queue.waiting >= this.config.queueLengthLimit) return "queue-full"
    this.activate(queue)
    request.arrivalR = this.progress
    queue.add(request)
    this.filled.add(queue)
    queue.bound()
    this.waiting++
    this.waitingSeats += request.seats
    return undefined
  }

  /**
   * The request that is due next; undefined when none waits, or it does not fit: then none is taken out of turn, or wide requests
   * would wait for ever.
   */
  due(): Queued | undefined {
    if (this.waiting === 0) return undefined
    let best: Queued | undefined
    let least = Number.POSITIVE_INFINITY
    for (const { first, nextDispatchR } of this.filled) {
      if (first === undefined || nextDispatchR + first.estimate >= least) continue
      least = nextDispatchR + first.estimate
      best = first
    }
    return best !== undefined && this.fits(best.seats) ? best : undefined
  }

  /** Takes what `due` has answered out of its queue, to its seats. */
  dispatch(request: Queued): void {
    const queue = request.queue as FlowQueue
    this.takeOut(request, queue)
    this.seat(request, queue)
    queue.bound()
    // Among equals the others are first now.
    if (this.filled.delete(queue)) this.filled.add(queue)
  }

  /** A request that waits goes without having been served. */
  remove(request: Queued): void {
    const queue = request.queue as FlowQueue
    this.takeOut(request, queue)
    queue.bound()
  }

  /** Work that has taken so long is done: its seats are free. */
  finish(request: Queued, seconds: number): void {
    const queue = request.queue as FlowQueue
    this.executing--
    this.seatsInUse -= request.seats
    queue.executing--
    queue.executingSeats -= request.seats
    queue.nextDispatchR -= (ESTIMATED_SECONDS - seconds) * request.seats
    queue.bound()
  }

  private fits(seats: number): boolean {
    if (this.config.manner === "exempt") return true
    if (this.limit <= 0) return false
    if (seats > this.limit) return this.executing === 0
    return this.seatsInUse + seats <= this.limit
  }

  /** Whether there is a seat beside those that are taken and those that others will take when it is their turn. */
  private mayReserve(seats: number): boolean {
    if (seats > this.limit) return this.isIdle && this.limit > 0
    return this.demand + seats <= this.limit
  }

  /** Of the hand, the queue with the least work; the search begins elsewhere each time. */
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

  private seat(request: Queued, queue: FlowQueue): void {
    this.executing++
    this.seatsInUse += request.seats
    queue.executing++
    queue.executingSeats += request.seats
    if (queue.nextDispatchR > this.progress) this.progress = queue.nextDispatchR
    queue.nextDispatchR += request.estimate
  }

  private takeOut(request: Queued, queue: FlowQueue): void {
    queue.remove(request)
    if (queue.waiting === 0) this.filled.delete(queue)
    this.waiting--
    this.waitingSeats -= request.seats
  }
}
