/** A queued name with its due time. */
export interface TimedEntry {
  readonly value: string
  /** In milliseconds, like all times here. */
  readonly addedAt: number
  /** The entry is due from this time on. */
  readonly processAt: number
  /**
   * Whether the entry is only due later than `processAt`. Upstream adds a nanosecond, which a number of milliseconds
   * since the epoch cannot represent.
   */
  readonly strictlyAfter: boolean
}

/** An entry and its place in the heap. */
interface Slot {
  entry: TimedEntry
  /** Insertion order, among entries with the same due time. */
  sequence: number
  /** Index in the heap, while the entry is in it. */
  index: number
}

/** The order of due times. */
const comesBefore = (left: Slot, right: Slot): boolean => {
  const a = left.entry
  const b = right.entry
  if (a.processAt !== b.processAt) return a.processAt < b.processAt
  if (a.strictlyAfter !== b.strictlyAfter) return b.strictlyAfter
  return left.sequence < right.sequence
}

export const isDue = ({ processAt, strictlyAfter }: TimedEntry, nowMs: number): boolean =>
  strictlyAfter ? processAt < nowMs : processAt <= nowMs

/**
 * A priority queue of unique names by due time, together with the set of names that were ever added and not removed: a
 * name that was processed stays known, and `add` refuses it until it is removed. Entries with the same due time come
 * out in insertion order; upstream's heap leaves their order undefined.
 * Upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go TimedQueue, UniqueQueue.
 */
export class TimedQueue {
  private readonly heap: Array<Slot> = []
  private readonly slots = new Map<string, Slot>()
  private readonly names = new Set<string>()
  private sequence = 0

  /** Number of queued names. */
  get size(): number {
    return this.heap.length
  }

  /** Queued names, in no order. */
  queued(): Array<string> {
    return this.heap.map((slot) => slot.entry.value)
  }

  /** Queued names, in the order in which they are due. */
  inOrder(): Array<string> {
    return this.heap.toSorted((left, right) => (comesBefore(left, right) ? -1 : 1)).map((slot) => slot.entry.value)
  }

  /** Names that `add` refuses, in no order. */
  known(): Array<string> {
    return [...this.names]
  }

  /** Whether the name is known: it is queued, or was processed. */
  has(value: string): boolean {
    return this.names.has(value)
  }

  /** The queued name that is due first. */
  head(): TimedEntry | undefined {
    return this.heap[0]?.entry
  }

  /** Queues a name, due now. Returns false if the name is known. */
  add(value: string, nowMs: number): boolean {
    if (this.names.has(value)) return false
    this.names.add(value)
    this.push({ value, addedAt: nowMs, processAt: nowMs, strictlyAfter: false })
    return true
  }

  /** Removes a name, if it is known, and adds it: due now, behind all that are due by now. */
  addAfresh(value: string, nowMs: number): void {
    const entry = { value, addedAt: nowMs, processAt: nowMs, strictlyAfter: false }
    if (this.replace(entry)) return
    this.names.add(value)
    this.push(entry)
  }

  /** Forgets the name, queued or not. Returns false if it was not known. */
  remove(value: string): boolean {
    if (!this.names.delete(value)) return false
    this.removeFromQueue(value)
    return true
  }

  /** Removes the name from the queue; it stays known. */
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

  /** Changes the due time of a queued name. Returns false if it is not queued. */
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
    // siftUp also stores the slot at its index, the new end of the heap.
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
      if (!comesBefore(slot, parent)) break
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
      if (right < length && comesBefore(this.heap[right] as Slot, this.heap[childIndex] as Slot)) childIndex = right
      const child = this.heap[childIndex] as Slot
      if (!comesBefore(child, slot)) break
      this.place(child, index)
      index = childIndex
    }
    this.place(slot, index)
  }
}
