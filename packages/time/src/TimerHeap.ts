/**
 * A binary min-heap of callbacks keyed by (time, order of insertion).
 * Cancelling marks an entry; marked entries leave when they reach the top, or together once they are the majority.
 */
export interface Timer {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly sequence: number
  /** Undefined once fired or cancelled. */
  callback: (() => void) | undefined
}

const COMPACT_FROM = 1024

const before = (left: Timer, right: Timer): boolean =>
  left.at < right.at || (left.at === right.at && left.sequence < right.sequence)

export class TimerHeap {
  private readonly entries: Array<Timer> = []
  private cancelled = 0
  private sequence = 0

  /** Timers that will still fire. */
  get size(): number {
    return this.entries.length - this.cancelled
  }

  add(at: number, callback: () => void): Timer {
    const timer: Timer = { at, sequence: this.sequence++, callback }
    this.entries.push(timer)
    this.siftUp(this.entries.length - 1)
    return timer
  }

  cancel(timer: Timer): void {
    if (timer.callback === undefined) return
    timer.callback = undefined
    this.cancelled++
    if (this.entries.length > COMPACT_FROM && this.cancelled * 2 > this.entries.length) this.compact()
  }

  /** The time of the next timer that will fire, Infinity when there is none. */
  nextAt(): number {
    return this.peek()?.at ?? Number.POSITIVE_INFINITY
  }

  /** Takes out the next timer and returns its callback, if it is due at `until` or earlier. */
  popDue(until: number): Timer | undefined {
    const head = this.peek()
    if (head === undefined || head.at > until) return undefined
    this.removeHead()
    return head
  }

  private peek(): Timer | undefined {
    for (;;) {
      const head = this.entries[0]
      if (head === undefined || head.callback !== undefined) return head
      this.removeHead()
      this.cancelled--
    }
  }

  private removeHead(): void {
    const last = this.entries.pop()
    if (last === undefined || this.entries.length === 0) return
    this.siftDown(last, 0)
  }

  private siftUp(from: number): void {
    const { entries } = this
    const timer = entries[from] as Timer
    let index = from
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = entries[parentIndex] as Timer
      if (!before(timer, parent)) break
      entries[index] = parent
      index = parentIndex
    }
    entries[index] = timer
  }

  private siftDown(timer: Timer, from: number): void {
    const { entries } = this
    const length = entries.length
    let index = from
    for (;;) {
      let childIndex = 2 * index + 1
      if (childIndex >= length) break
      const right = childIndex + 1
      if (right < length && before(entries[right] as Timer, entries[childIndex] as Timer)) childIndex = right
      const child = entries[childIndex] as Timer
      if (!before(child, timer)) break
      entries[index] = child
      index = childIndex
    }
    entries[index] = timer
  }

  private compact(): void {
    const alive = this.entries.filter((timer) => timer.callback !== undefined)
    this.entries.length = 0
    for (const timer of alive) this.entries.push(timer)
    for (let index = (alive.length >> 1) - 1; index >= 0; index--) this.siftDown(alive[index] as Timer, index)
    this.cancelled = 0
  }
}
