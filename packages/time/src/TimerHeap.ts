/**
 * Something scheduled for a time. An owner that fires again and again extends Timer and reschedules itself, so that
 * each wait allocates nothing; everything else wraps a callback in `Call`.
 */
export abstract class Timer {
  /** The timer's slot in the heap; UNPLANNED unless it is planned. */
  place = UNPLANNED

  /** Runs when the time is reached. */
  abstract fire(): void

  get isPlanned(): boolean {
    return this.place !== UNPLANNED
  }
}

/** A timer that calls a function. */
export class Call extends Timer {
  private readonly callback: () => void

  constructor(callback: () => void) {
    super()
    this.callback = callback
  }

  fire(): void {
    this.callback()
  }
}

const UNPLANNED = -1
const FIRST_SIZE = 64
const COMPACT_FROM = 1024
/**
 * The number of children of an entry (a 4-ary heap): fewer levels than with two, and the times of all four lie side by
 * side in memory.
 */
const WIDTH = 4

const enlarged = <A extends Float64Array | Int32Array>(old: A, larger: A): A => {
  larger.set(old)
  return larger
}

/**
 * A min-heap of timers by (time, order of planning). The compared values lie in typed arrays: with ten thousand timers,
 * each further object to read would be a cache miss. Cancelling removes the timer from its slot at once; its heap entry
 * is removed when it reaches the top, or by a compaction once cancelled entries are the majority.
 */
export class TimerHeap {
  /** The heap: time, order, and slot of each entry. */
  private times = new Float64Array(FIRST_SIZE)
  private orders = new Float64Array(FIRST_SIZE)
  private places = new Int32Array(FIRST_SIZE)
  private length = 0
  /** Timers by slot; undefined once cancelled. */
  private readonly timers: Array<Timer | undefined> = []
  private readonly freePlaces: Array<number> = []
  private cancelled = 0
  private order = 0

  /** The number of timers that will still fire. */
  get size(): number {
    return this.length - this.cancelled
  }

  /** Plans a timer; one that is planned already is moved to the new time. */
  add(at: number, timer: Timer): void {
    this.cancel(timer)
    if (this.length === this.times.length) this.grow()
    const place = this.freePlaces.pop() ?? this.timers.length
    timer.place = place
    this.timers[place] = timer
    this.siftUp(this.length++, at, this.order++, place)
  }

  /** Cancels a timer; does nothing when it is not planned. */
  cancel(timer: Timer): void {
    const { place } = timer
    if (place === UNPLANNED) return
    timer.place = UNPLANNED
    this.timers[place] = undefined
    this.cancelled++
    if (this.length > COMPACT_FROM && this.cancelled * 2 > this.length) this.compact()
  }

  /** Returns the time of the next timer that will fire, Infinity when there is none. */
  nextAt(): number {
    while (this.length > 0) {
      const place = this.places[0] as number
      if (this.timers[place] !== undefined) return this.times[0] as number
      this.removeHead()
      this.freePlaces.push(place)
      this.cancelled--
    }
    return Number.POSITIVE_INFINITY
  }

  /** Removes and returns the timer whose time `nextAt` returned; the heap must not be empty. */
  takeNext(): Timer {
    const place = this.places[0] as number
    const timer = this.timers[place] as Timer
    this.removeHead()
    this.timers[place] = undefined
    this.freePlaces.push(place)
    timer.place = UNPLANNED
    return timer
  }

  private removeHead(): void {
    const last = --this.length
    if (last === 0) return
    this.siftDown(0, this.times[last] as number, this.orders[last] as number, this.places[last] as number)
  }

  private siftUp(from: number, at: number, order: number, place: number): void {
    const { orders, places, times } = this
    let index = from
    while (index > 0) {
      const parent = ((index - 1) / WIDTH) | 0
      const parentAt = times[parent] as number
      if (parentAt < at || (parentAt === at && (orders[parent] as number) < order)) break
      times[index] = parentAt
      orders[index] = orders[parent] as number
      places[index] = places[parent] as number
      index = parent
    }
    times[index] = at
    orders[index] = order
    places[index] = place
  }

  private siftDown(from: number, at: number, order: number, place: number): void {
    const { length, orders, places, times } = this
    let index = from
    for (;;) {
      const first = index * WIDTH + 1
      if (first >= length) break
      const end = Math.min(first + WIDTH, length)
      let least = first
      let leastAt = times[first] as number
      for (let child = first + 1; child < end; child++) {
        const childAt = times[child] as number
        if (childAt > leastAt || (childAt === leastAt && (orders[child] as number) > (orders[least] as number)))
          continue
        least = child
        leastAt = childAt
      }
      if (leastAt > at || (leastAt === at && (orders[least] as number) > order)) break
      times[index] = leastAt
      orders[index] = orders[least] as number
      places[index] = places[least] as number
      index = least
    }
    times[index] = at
    orders[index] = order
    places[index] = place
  }

  private grow(): void {
    const size = this.times.length * 2
    this.times = enlarged(this.times, new Float64Array(size))
    this.orders = enlarged(this.orders, new Float64Array(size))
    this.places = enlarged(this.places, new Int32Array(size))
  }

  /** Drops the entries of cancelled timers. */
  private compact(): void {
    const { orders, places, times } = this
    let kept = 0
    for (let index = 0; index < this.length; index++) {
      const place = places[index] as number
      if (this.timers[place] === undefined) {
        this.freePlaces.push(place)
        continue
      }
      times[kept] = times[index] as number
      orders[kept] = orders[index] as number
      places[kept++] = place
    }
    this.length = kept
    this.cancelled = 0
    for (let index = ((kept - 2) / WIDTH) | 0; index >= 0; index--) {
      this.siftDown(index, times[index] as number, orders[index] as number, places[index] as number)
    }
  }
}
