/** A name that waits for its time. */
export interface TimedEntry {
  readonly value: string
  readonly addedAt: number
  /** Due from this time on, in milliseconds. */
  readonly processAt: number
  /** Due only strictly later than `processAt`: upstream's extra nanosecond, which milliseconds since the epoch cannot hold. */
  readonly strictlyAfter: boolean
}

interface Slot {
  entry: TimedEntry
  /** Order of insertion among entries of one time. */
  sequence: number
  /** Place in the heap, while it is there. */
  index: number
}

const before = (left: Slot, right: Slot): boolean => {
  const a = left.entry
  const b = right.entry
  if (a.processAt !== b.processAt) return a.processAt < b.processAt
  if (a.strictlyAfter !== b.strictlyAfter) return b.strictlyAfter
  return left.sequence < right.sequence
}

export const isDue = ({ processAt, strictlyAfter }: TimedEntry, nowMs: number): boolean =>
  strictlyAfter ? processAt < nowMs : processAt <= nowMs

/**
 * Names by the time at which they are due, each at most once, together with the set of names that were ever added and not
 * removed: a name that was processed stays known, and is refused until it is removed.
 * Equal times come out in order of insertion, where upstream's heap leaves it open.
 * Upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go TimedQueue, UniqueQueue.
 */
export class TimedQueue {
  private readonly heap: Array<Slot> = []
  private readonly slots = new Map<string, Slot>()
  private readonly names = new Set<string>()
  private sequence = 0

  /** Names that wait. */
  get size(): number {
    return this.heap.length
  }

  /** Names that wait, in no order. */
  queued(): Array<string> {
    return this.heap.map((slot) => slot.entry.value)
  }

  /** Names that wait, in the order in which they are due. */
  inOrder(): Array<string> {
    return this.heap.toSorted((left, right) => (before(left, right) ? -1 : 1)).map((slot) => slot.entry.value)
  }

  /** Names that add would refuse, in order of their adding. */
  known(): Array<string> {
    return [...this.names]
  }

  has(value: string): boolean {
    return this.names.has(value)
  }

  head(): TimedEntry | undefined {
    return this.heap[0]?.entry
  }

  /** False if the name is known. */
  add(value: string, nowMs: number): boolean {
    if (this.names.has(value)) return false
    this.names.add(value)
    this.push({ value, addedAt: nowMs, processAt: nowMs, strictlyAfter: false })
    return true
  }

  /** Forgets the name, waiting or not; false if it was not known. */
  remove(value: string): boolean {
    if (!this.names.delete(value)) return false
    this.removeFromQueue(value)
    return true
  }

  /** Takes the name out of the waiting line; it stays known. */
  removeFromQueue(value: string): boolean {
    const slot = this.slots.get(value)
    if (slot === undefined) return false
    this.slots.delete(value)
    const last = this.heap.pop() as Slot
    if (last !== slot) {
      this.place(last, slot.index)
      this.siftUp(last)
      this.siftDown(last)
    }
    return true
  }

  /** Gives a waiting name another time; false if it does not wait. */
  replace(entry: TimedEntry): boolean {
    const slot = this.slots.get(entry.value)
    if (slot === undefined) return false
    slot.entry = entry
    slot.sequence = this.sequence++
    this.siftUp(slot)
    this.siftDown(slot)
    return true
  }

  clear(): void {
    this.heap.length = 0
    this.slots.clear()
    this.names.clear()
  }

  private push(entry: TimedEntry): void {
    const slot = { entry, sequence: this.sequence++, index: this.heap.length }
    this.slots.set(entry.value, slot)
    // Puts it in its place, which is one more.
    this.siftUp(slot)
  }

  private place(slot: Slot, index: number): void {
    slot.index = index
    this.heap[index] = slot
  }

  private siftUp(slot: Slot): void {
    let { index } = slot
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.heap[parentIndex] as Slot
      if (!before(slot, parent)) break
      this.place(parent, index)
      index = parentIndex
    }
    this.place(slot, index)
  }

  private siftDown(slot: Slot): void {
    const { length } = this.heap
    let { index } = slot
    for (;;) {
      let childIndex = 2 * index + 1
      if (childIndex >= length) break
      const right = childIndex + 1
      if (right < length && before(this.heap[right] as Slot, this.heap[childIndex] as Slot)) childIndex = right
      const child = this.heap[childIndex] as Slot
      if (!before(child, slot)) break
      this.place(child, index)
      index = childIndex
    }
    this.place(slot, index)
  }
}
