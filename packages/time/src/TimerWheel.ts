import { grown } from "./grown.ts"

const NONE = -1
/** The place of a number whose timer is in `due`. */
const DUE = -2
const INITIAL_SIZE = 64
/** The number of buckets, a power of two: 5,000 nodes renew their Leases at two a bucket. */
const BUCKETS = 8192
/** The list of timers beyond the last bucket. */
const FAR = BUCKETS
/** Buckets with more timers are sorted by the platform. */
const MAX_INSERTED = 16

/**
 * Timers that are numbers, by (time, order of planning): a ring of buckets, each a list of the numbers whose time is in
 * its span, and one list of those beyond. Planning and firing cost a few writes, where a heap of thousands moves a dozen
 * entries. A bucket is sorted when its turn comes.
 */
export class TimerWheel {
  private readonly fire: (number: number, timeMs: number) => void
  /** The span of a bucket. */
  private readonly widthMs: number
  // What is used together lies together: each further array would be a cache miss for each timer.
  /** The time and the order of each number. */
  private plans = new Float64Array(INITIAL_SIZE * 2)
  /** The list that has a number, which is its bucket, FAR, DUE or NONE, and the next number in that. */
  private links = new Int32Array(INITIAL_SIZE * 2).fill(NONE)
  private readonly heads = new Int32Array(BUCKETS + 1).fill(NONE)
  /** The timers of this bucket and of earlier ones are in `due`, sorted. Counted from the epoch, and in the ring. */
  private tick = 0
  private bucket = 0
  private inBuckets = 0
  private due = new Int32Array(INITIAL_SIZE)
  private dueFrom = 0
  private dueEnd = 0
  private count = 0

  /** `usualMs` is how far ahead nearly all timers are planned. */
  constructor(fire: (number: number, timeMs: number) => void, usualMs: number) {
    this.fire = fire
    // A power of two, so that its products are exact.
    this.widthMs = 2 ** Math.ceil(Math.log2(usualMs / BUCKETS))
  }

  get size(): number {
    return this.count
  }

  /**
   * Plans the timer of a number, for never if the time is Infinity; one that is planned is moved. `order` is larger than
   * those of all planned timers.
   */
  plan(number: number, timeMs: number, order: number): void {
    while (number * 2 >= this.plans.length) this.grow()
    this.cancel(number)
    if (timeMs === Number.POSITIVE_INFINITY) return
    this.plans[number * 2] = timeMs
    this.plans[number * 2 + 1] = order
    const tick = Math.floor(timeMs / this.widthMs)
    // An empty ring starts where the first timer is.
    if (this.count++ === 0) this.moveTo(tick - 1)
    const ahead = tick - this.tick
    if (ahead <= 0) this.insertDue(number)
    else if (ahead < BUCKETS) this.link(number, (this.bucket + ahead) & (BUCKETS - 1))
    else this.link(number, FAR)
  }

  /** Does nothing if the number has no timer. */
  cancel(number: number): void {
    const place = this.links[number * 2] ?? NONE
    if (place === NONE) return
    this.count--
    this.links[number * 2] = NONE
    if (place === DUE) {
      const at = this.due.indexOf(number, this.dueFrom)
      this.due.copyWithin(at, at + 1, this.dueEnd--)
      return
    }
    if (place !== FAR) this.inBuckets--
    const following = this.nextOf(number)
    let before = this.heads[place] as number
    if (before === number) this.heads[place] = following
    else {
      while (this.nextOf(before) !== number) before = this.nextOf(before)
      this.links[before * 2 + 1] = following
    }
  }

  /** The time for which a number was planned last. */
  timeOf(number: number): number {
    return this.plans[number * 2] as number
  }

  /** Returns the time of the next timer; Infinity if there is none. */
  nextAt(): number {
    if (this.dueFrom === this.dueEnd && !this.fillDue()) return Number.POSITIVE_INFINITY
    return this.timeOf(this.due[this.dueFrom] as number)
  }

  /** The order of the timer whose time `nextAt` returned. */
  get nextOrder(): number {
    return this.plans[(this.due[this.dueFrom] as number) * 2 + 1] as number
  }

  /** Fires the timer whose time `nextAt` returned. */
  fireNext(): void {
    const number = this.due[this.dueFrom++] as number
    this.links[number * 2] = NONE
    this.count--
    this.fire(number, this.timeOf(number))
  }

  private isBefore(one: number, other: number): boolean {
    const { plans } = this
    const time = plans[one * 2] as number
    const otherTime = plans[other * 2] as number
    return time < otherTime || (time === otherTime && (plans[one * 2 + 1] as number) < (plans[other * 2 + 1] as number))
  }

  private nextOf(number: number): number {
    return this.links[number * 2 + 1] as number
  }

  private insertDue(number: number): void {
    if (this.dueEnd === this.due.length) this.makeDueRoom()
    const { due, dueFrom } = this
    const end = this.dueEnd++
    let low = end
    // Mostly it is the last. Thousands are due early when the first timer was planned for a later time.
    if (end > dueFrom && this.isBefore(number, due[end - 1] as number)) {
      low = dueFrom
      for (let high = end - 1; low < high; ) {
        const middle = (low + high) >> 1
        if (this.isBefore(number, due[middle] as number)) high = middle
        else low = middle + 1
      }
      due.copyWithin(low + 1, low, end)
    }
    due[low] = number
    this.links[number * 2] = DUE
  }

  private makeDueRoom(): void {
    const { due, dueEnd, dueFrom } = this
    if (dueFrom === 0) this.due = grown(due, new Int32Array(due.length * 2))
    else due.copyWithin(0, dueFrom, dueEnd)
    this.dueFrom = 0
    this.dueEnd = dueEnd - dueFrom
  }

  /** Moves on to the next bucket that has timers, and sorts these. Returns false if there are none. */
  private fillDue(): boolean {
    if (this.count === 0) return false
    this.dueFrom = 0
    this.dueEnd = 0
    if (this.inBuckets === 0) this.moveTo(this.firstFarTick() - 1)
    for (;;) {
      this.tick++
      this.bucket = (this.bucket + 1) & (BUCKETS - 1)
      // Once in each round of the ring: nothing far is due before the next round.
      if (this.bucket === 0) this.takeFar()
      if (this.heads[this.bucket] !== NONE) break
    }
    this.collect(this.bucket)
    return true
  }

  private collect(bucket: number): void {
    let size = 0
    for (let number = this.heads[bucket] as number; number !== NONE; number = this.nextOf(number)) {
      if (size++ < MAX_INSERTED) this.insertDue(number)
      else {
        if (this.dueEnd === this.due.length) this.makeDueRoom()
        this.due[this.dueEnd++] = number
        this.links[number * 2] = DUE
      }
    }
    this.heads[bucket] = NONE
    this.inBuckets -= size
    if (size > MAX_INSERTED) {
      this.due.subarray(0, this.dueEnd).sort((left, right) => (this.isBefore(left, right) ? -1 : 1))
    }
  }

  /** Moves an empty ring to a tick. */
  private moveTo(tick: number): void {
    this.tick = tick
    this.bucket = 0
    this.takeFar()
  }

  private firstFarTick(): number {
    let first = Number.POSITIVE_INFINITY
    for (let number = this.heads[FAR] as number; number !== NONE; number = this.nextOf(number)) {
      first = Math.min(first, this.timeOf(number))
    }
    return Math.floor(first / this.widthMs)
  }

  /** Moves the timers into the buckets that are not far any more. */
  private takeFar(): void {
    let number = this.heads[FAR] as number
    this.heads[FAR] = NONE
    while (number !== NONE) {
      const following = this.nextOf(number)
      const ahead = Math.floor(this.timeOf(number) / this.widthMs) - this.tick
      this.link(number, ahead < BUCKETS ? (this.bucket + ahead) & (BUCKETS - 1) : FAR)
      number = following
    }
  }

  private link(number: number, place: number): void {
    this.links[number * 2] = place
    this.links[number * 2 + 1] = this.heads[place] as number
    this.heads[place] = number
    if (place !== FAR) this.inBuckets++
  }

  private grow(): void {
    const length = this.plans.length * 2
    this.plans = grown(this.plans, new Float64Array(length))
    this.links = grown(this.links, new Int32Array(length).fill(NONE))
  }
}
