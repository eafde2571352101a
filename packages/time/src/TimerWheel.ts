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

const resized = <A extends Float64Array | Int32Array>(old: A, larger: A): A => {
  larger.set(old)
  return larger
}

/**
 * Timers that are numbers, by (time, order of planning): a ring of buckets, each a list of the numbers whose time is in
 * its span, and one list of those beyond. Planning and firing cost a few writes, where a heap of thousands moves a dozen
 * entries. A bucket is sorted when its turn comes.
 */
export class TimerWheel {
  private readonly fire: (number: number, timeMs: number) => void
  /** The span of a bucket. */
  private readonly widthMs: number
  private times = new Float64Array(INITIAL_SIZE)
  private orders = new Float64Array(INITIAL_SIZE)
  /** The list that has a number: its bucket, FAR, DUE or NONE. */
  private places = new Int32Array(INITIAL_SIZE).fill(NONE)
  /** The neighbours of a number in its list. */
  private next = new Int32Array(INITIAL_SIZE)
  private previous = new Int32Array(INITIAL_SIZE)
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
    while (number >= this.times.length) this.grow()
    this.cancel(number)
    if (timeMs === Number.POSITIVE_INFINITY) return
    this.times[number] = timeMs
    this.orders[number] = order
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
    const place = this.places[number] ?? NONE
    if (place === NONE) return
    this.count--
    if (place === DUE) {
      const at = this.due.indexOf(number, this.dueFrom)
      this.due.copyWithin(at, at + 1, this.dueEnd--)
      this.places[number] = NONE
    } else this.unlink(number, place)
  }

  /** Returns the time of the next timer; Infinity if there is none. */
  nextAt(): number {
    if (this.dueFrom === this.dueEnd && !this.fillDue()) return Number.POSITIVE_INFINITY
    return this.times[this.due[this.dueFrom] as number] as number
  }

  /** The order of the timer whose time `nextAt` returned. */
  get nextOrder(): number {
    return this.orders[this.due[this.dueFrom] as number] as number
  }

  /** Fires the timer whose time `nextAt` returned. */
  fireNext(): void {
    const number = this.due[this.dueFrom++] as number
    this.places[number] = NONE
    this.count--
    this.fire(number, this.times[number] as number)
  }

  private isBefore(one: number, other: number): boolean {
    const time = this.times[one] as number
    const otherTime = this.times[other] as number
    return time < otherTime || (time === otherTime && (this.orders[one] as number) < (this.orders[other] as number))
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
    this.places[number] = DUE
  }

  private makeDueRoom(): void {
    const { due, dueEnd, dueFrom } = this
    if (dueFrom === 0) this.due = resized(due, new Int32Array(due.length * 2))
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
    for (let number = this.heads[bucket] as number; number !== NONE; number = this.next[number] as number) {
      if (size++ < MAX_INSERTED) this.insertDue(number)
      else {
        if (this.dueEnd === this.due.length) this.makeDueRoom()
        this.due[this.dueEnd++] = number
        this.places[number] = DUE
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
    for (let number = this.heads[FAR] as number; number !== NONE; number = this.next[number] as number) {
      first = Math.min(first, this.times[number] as number)
    }
    return Math.floor(first / this.widthMs)
  }

  /** Moves the timers into the buckets that are not far any more. */
  private takeFar(): void {
    let number = this.heads[FAR] as number
    while (number !== NONE) {
      const following = this.next[number] as number
      const ahead = Math.floor((this.times[number] as number) / this.widthMs) - this.tick
      if (ahead < BUCKETS) {
        this.unlink(number, FAR)
        this.link(number, (this.bucket + ahead) & (BUCKETS - 1))
      }
      number = following
    }
  }

  private link(number: number, place: number): void {
    const head = this.heads[place] as number
    this.next[number] = head
    this.previous[number] = NONE
    if (head !== NONE) this.previous[head] = number
    this.heads[place] = number
    this.places[number] = place
    if (place !== FAR) this.inBuckets++
  }

  private unlink(number: number, place: number): void {
    const [before, after] = [this.previous[number] as number, this.next[number] as number]
    if (before === NONE) this.heads[place] = after
    else this.next[before] = after
    if (after !== NONE) this.previous[after] = before
    this.places[number] = NONE
    if (place !== FAR) this.inBuckets--
  }

  private grow(): void {
    const size = this.times.length * 2
    this.times = resized(this.times, new Float64Array(size))
    this.orders = resized(this.orders, new Float64Array(size))
    this.next = resized(this.next, new Int32Array(size))
    this.previous = resized(this.previous, new Int32Array(size))
    this.places = resized(this.places, new Int32Array(size).fill(NONE))
  }
}
