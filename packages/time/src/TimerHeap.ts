import { TimerWheel } from "./TimerWheel.ts"

/**
 * Something that is planned for a time. A component that fires again and again extends Timer and plans itself anew, so
 * that its waits allocate nothing; everything else wraps a callback in `Call`.
 */
export abstract class Timer {
  /** The timer's index in the heap's `timers`; NOT_PLANNED unless it is planned. */
  slot = NOT_PLANNED

  /** Runs when the time is reached. */
  abstract fire(): void

  get isPlanned(): boolean {
    return this.slot !== NOT_PLANNED
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

/** Timers that are numbers. */
export interface NumberedTimers {
  /** Plans the timer of a number; one that is planned already is moved to the new time. */
  readonly plan: (number: number, timeMs: number) => void
  /** Does nothing if the number has no timer. */
  readonly cancel: (number: number) => void
  /** The time for which a number was planned last. */
  readonly timeOf: (number: number) => number
}

const NOT_PLANNED = -1
/** How far ahead numbered timers are planned, by default. */
const USUAL_MS = 30_000
const INITIAL_CAPACITY = 64
/** A heap of at most this many entries is never compacted. */
const MIN_COMPACTED = 1024
/**
 * The number of children of an entry (a 4-ary heap): fewer levels than with two, and the times of all four lie side by
 * side in memory.
 */
const CHILDREN = 4

const copyInto = <A extends Float64Array | Int32Array>(old: A, larger: A): A => {
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
  private times = new Float64Array(INITIAL_CAPACITY)
  private orders = new Float64Array(INITIAL_CAPACITY)
  private slots = new Int32Array(INITIAL_CAPACITY)
  private length = 0
  /** Timers by slot; undefined once cancelled. */
  private readonly timers: Array<Timer | undefined> = []
  private readonly freeSlots: Array<number> = []
  private cancelled = 0
  private order = 0
  /** The numbered timers of each owner. */
  private readonly wheels: Array<TimerWheel> = []
  /** The owner of the timer whose time `nextAt` returned; undefined if that is in the heap. */
  private nextWheel: TimerWheel | undefined

  /** The number of timers that will still fire. */
  get size(): number {
    return this.wheels.reduce((sum, { size }) => sum + size, this.length - this.cancelled)
  }

  /** Plans a timer; one that is planned already is moved to the new time. */
  add(timeMs: number, timer: Timer): void {
    this.cancel(timer)
    if (this.length === this.times.length) this.grow()
    const slot = this.freeSlots.pop() ?? this.timers.length
    timer.slot = slot
    this.timers[slot] = timer
    this.siftUp(this.length++, timeMs, this.order++, slot)
  }

  /** Cancels a timer. Does nothing if it is not planned. */
  cancel(timer: Timer): void {
    const { slot } = timer
    if (slot === NOT_PLANNED) return
    timer.slot = NOT_PLANNED
    this.timers[slot] = undefined
    this.cancelled++
    if (this.length > MIN_COMPACTED && this.cancelled * 2 > this.length) this.compact()
  }

  /**
   * Gives an owner timers which are numbers from 0 on and no objects, and call `fire`: it keeps what belongs to them in
   * arrays. They fire in the order of all timers. `usualMs` is how far ahead nearly all are planned.
   */
  numbered(fire: (number: number, timeMs: number) => void, usualMs = USUAL_MS): NumberedTimers {
    const wheel = new TimerWheel(fire, usualMs)
    this.wheels.push(wheel)
    return {
      plan: (number, timeMs) => wheel.plan(number, timeMs, this.order++),
      cancel: (number) => wheel.cancel(number),
      timeOf: (number) => wheel.timeOf(number)
    }
  }

  /** Returns the time of the next timer that will fire; Infinity if there is none. Drops cancelled timers before it. */
  nextAt(): number {
    let next = this.nextInHeap()
    let order = next === Number.POSITIVE_INFINITY ? next : (this.orders[0] as number)
    this.nextWheel = undefined
    for (const wheel of this.wheels) {
      const at = wheel.nextAt()
      if (at > next || at === Number.POSITIVE_INFINITY || (at === next && wheel.nextOrder > order)) continue
      next = at
      order = wheel.nextOrder
      this.nextWheel = wheel
    }
    return next
  }

  private nextInHeap(): number {
    while (this.length > 0) {
      const slot = this.slots[0] as number
      if (this.timers[slot] !== undefined) return this.times[0] as number
      this.removeHead()
      this.freeSlots.push(slot)
      this.cancelled--
    }
    return Number.POSITIVE_INFINITY
  }

  /** Removes the timer whose time `nextAt` has just returned, and fires it; there must be one. */
  fireNext(): void {
    if (this.nextWheel === undefined) this.takeNext().fire()
    else this.nextWheel.fireNext()
  }

  private takeNext(): Timer {
    const slot = this.slots[0] as number
    const timer = this.timers[slot] as Timer
    this.removeHead()
    this.timers[slot] = undefined
    this.freeSlots.push(slot)
    timer.slot = NOT_PLANNED
    return timer
  }

  private removeHead(): void {
    const last = --this.length
    if (last === 0) return
    this.siftDown(0, this.times[last] as number, this.orders[last] as number, this.slots[last] as number)
  }

  private siftUp(from: number, timeMs: number, order: number, slot: number): void {
    const { orders, slots, times } = this
    let index = from
    while (index > 0) {
      const parent = ((index - 1) / CHILDREN) | 0
      const parentTime = times[parent] as number
      if (parentTime < timeMs || (parentTime === timeMs && (orders[parent] as number) < order)) break
      times[index] = parentTime
      orders[index] = orders[parent] as number
      slots[index] = slots[parent] as number
      index = parent
    }
    times[index] = timeMs
    orders[index] = order
    slots[index] = slot
  }

  private siftDown(from: number, timeMs: number, order: number, slot: number): void {
    const { length, orders, slots, times } = this
    let index = from
    for (;;) {
      const first = index * CHILDREN + 1
      if (first >= length) break
      const end = Math.min(first + CHILDREN, length)
      let least = first
      let leastTime = times[first] as number
      for (let child = first + 1; child < end; child++) {
        const childTime = times[child] as number
        if (childTime > leastTime || (childTime === leastTime && (orders[child] as number) > (orders[least] as number)))
          continue
        least = child
        leastTime = childTime
      }
      if (leastTime > timeMs || (leastTime === timeMs && (orders[least] as number) > order)) break
      times[index] = leastTime
      orders[index] = orders[least] as number
      slots[index] = slots[least] as number
      index = least
    }
    times[index] = timeMs
    orders[index] = order
    slots[index] = slot
  }

  private grow(): void {
    const size = this.times.length * 2
    this.times = copyInto(this.times, new Float64Array(size))
    this.orders = copyInto(this.orders, new Float64Array(size))
    this.slots = copyInto(this.slots, new Int32Array(size))
  }

  /** Drops the entries of cancelled timers. */
  private compact(): void {
    const { orders, slots, times } = this
    let kept = 0
    for (let index = 0; index < this.length; index++) {
      const slot = slots[index] as number
      if (this.timers[slot] === undefined) {
        this.freeSlots.push(slot)
        continue
      }
      times[kept] = times[index] as number
      orders[kept] = orders[index] as number
      slots[kept++] = slot
    }
    this.length = kept
    this.cancelled = 0
    for (let index = ((kept - 2) / CHILDREN) | 0; index >= 0; index--) {
      this.siftDown(index, times[index] as number, orders[index] as number, slots[index] as number)
    }
  }
}
