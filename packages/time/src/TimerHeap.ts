/**
 * Something that is to happen at a time. Who is woken again and again is its own timer and is planned anew each time, so that
 * waiting costs no object; for all others `Call` wraps a callback.
 */
export abstract class Timer {
  /** Where the heap keeps it; NOWHERE unless it is planned. */
  place = NOWHERE

  /** Its time has come. */
  abstract ring(): void

  get isPlanned(): boolean {
    return this.place !== NOWHERE
  }
}

/** A timer that calls a function. */
export class Call extends Timer {
  private readonly callback: () => void

  constructor(callback: () => void) {
    super()
    this.callback = callback
  }

  ring(): void {
    this.callback()
  }
}

const NOWHERE = -1
const FIRST_SIZE = 64
const COMPACT_FROM = 1024
/** Children of one entry: fewer levels than with two, and the times of all four lie side by side. */
const WIDTH = 4

const enlarged = <A extends Float64Array | Int32Array>(old: A, larger: A): A => {
  larger.set(old)
  return larger
}

/**
 * A min-heap of timers by (time, order of planning). What is compared lies in typed arrays: with ten thousand timers that take
 * turns, each further object to look into would be a cache miss. Cancelling takes the timer out of its place; its entry leaves
 * when it reaches the top, or with others once such entries are the majority.
 */
export class TimerHeap {
  /** The heap: time, order, and place of each entry. */
  private times = new Float64Array(FIRST_SIZE)
  private orders = new Float64Array(FIRST_SIZE)
  private places = new Int32Array(FIRST_SIZE)
  private length = 0
  /** By place; undefined once cancelled. */
  private readonly timers: Array<Timer | undefined> = []
  private readonly freePlaces: Array<number> = []
  private cancelled = 0
  private order = 0

  /** Timers that will still ring. */
  get size(): number {
    return this.length - this.cancelled
  }

  /** Plans a timer, anew if it is planned already. */
  add(at: number, timer: Timer): void {
    this.cancel(timer)
    if (this.length === this.times.length) this.grow()
    const place = this.freePlaces.pop() ?? this.timers.length
    timer.place = place
    this.timers[place] = timer
    this.siftUp(this.length++, at, this.order++, place)
  }

  /** Nothing happens when it is not planned. */
  cancel(timer: Timer): void {
    const { place } = timer
    if (place === NOWHERE) return
    timer.place = NOWHERE
    this.timers[place] = undefined
    this.cancelled++
    if (this.length > COMPACT_FROM && this.cancelled * 2 > this.length) this.compact()
  }

  /** The time of the next timer that will ring, Infinity when there is none. */
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

  /** Takes out the timer that `nextAt` told of; the heap must not be empty. */
  takeNext(): Timer {
    const place = this.places[0] as number
    const timer = this.timers[place] as Timer
    this.removeHead()
    this.timers[place] = undefined
    this.freePlaces.push(place)
    timer.place = NOWHERE
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

  /** Keeps only what will ring. */
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
