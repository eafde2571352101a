import type { FieldIndex } from "./KindCache.ts"
import type { Occurrence } from "./Occurrence.ts"

const FIRST_SIZE = 64
/**
 * The maximum size of a kind's history, in characters of its objects: a large object that is rewritten often is not
 * kept as often.
 */
export const MAX_HISTORY_SIZE = 32 * 1024 * 1024

/**
 * The newest events of one kind, numbered by position, from which watches resume. It is a ring buffer that is
 * overwritten, so that evicted events are freed at once (a list that is sliced and copied would leave garbage that
 * keeps its contents alive). It grows to its capacity, and beyond it only for undelivered events, up to a bound.
 */
export class EventLog {
  private readonly capacity: number
  private readonly maxUndelivered: number
  private ring: Array<Occurrence | undefined> = new Array(FIRST_SIZE).fill(undefined)
  private start = 0
  private stop = 0
  private floorRevision = 0
  /** The size of all kept events, in characters. */
  private kept = 0
  private readonly index: FieldIndex | undefined
  /** The positions of events that concern a value of the index, oldest first; the oldest may have been evicted. */
  private readonly byValue = new Map<string, Array<number>>()

  constructor(capacity: number, maxUndelivered: number, index?: FieldIndex) {
    this.capacity = capacity
    this.maxUndelivered = maxUndelivered
    this.index = index
  }

  /** The revision after which the log is complete. */
  get floor(): number {
    return this.floorRevision
  }

  /** The position of the oldest kept event. */
  get first(): number {
    return this.start
  }

  /** The position after the newest event. */
  get end(): number {
    return this.stop
  }

  /** Events from position `delivered` on have not been delivered yet. */
  append(occurrence: Occurrence, delivered: number): void {
    const { ring } = this
    this.kept += occurrence.size
    while (this.kept > MAX_HISTORY_SIZE && this.start < delivered && this.start < this.stop) this.forgetOldest()
    const size = this.stop - this.start
    if (size >= this.capacity && (this.start < delivered || size >= this.maxUndelivered)) this.forgetOldest()
    else if (size === ring.length) this.grow()
    if (this.index !== undefined) this.file(occurrence, this.index)
    this.ring[this.stop++ & (this.ring.length - 1)] = occurrence
  }

  /**
   * Visits, in order, the events from a position on. With a value of the index, only those that concern it: a thousand
   * kubelets that reconnect after an outage each read only the events of their own pods.
   */
  visit(from: number, value: string | undefined, visitor: (occurrence: Occurrence) => void): void {
    if (value === undefined || this.index === undefined) {
      for (let position = from; position < this.stop; position++) visitor(this.at(position))
      return
    }
    const positions = this.byValue.get(value) ?? []
    let index = positions.length
    while (index > 0 && (positions[index - 1] as number) >= from) index--
    for (; index < positions.length; index++) visitor(this.at(positions[index] as number))
  }

  private file({ event: { object }, previous }: Occurrence, index: FieldIndex): void {
    const now = index.valueOf(object)
    this.note(now)
    if (previous === undefined) return
    const before = index.valueOf(previous)
    if (before !== now) this.note(before)
  }

  private note(value: string): void {
    const positions = this.byValue.get(value)
    if (positions === undefined) {
      this.byValue.set(value, [this.stop])
      return
    }
    const half = positions.length >> 1
    if (positions.length >= FIRST_SIZE && (positions[half] as number) < this.start) positions.splice(0, half)
    positions.push(this.stop)
  }

  at(position: number): Occurrence {
    return this.ring[position & (this.ring.length - 1)] as Occurrence
  }

  /** Returns the position of the first event after the revision. */
  after(revision: number): number {
    let low = this.start
    let high = this.stop
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.at(middle).revision <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Discards all events: nothing up to this revision can be sent any more. */
  reset(revision: number): void {
    this.start = this.stop
    this.ring = new Array(FIRST_SIZE).fill(undefined)
    this.floorRevision = revision
    this.kept = 0
    this.byValue.clear()
  }

  private forgetOldest(): void {
    const at = this.start++ & (this.ring.length - 1)
    const { revision, size } = this.ring[at] as Occurrence
    this.floorRevision = revision
    this.kept -= size
    this.ring[at] = undefined
  }

  /** Sizes are powers of two, so that a position maps to its slot by a mask. */
  private grow(): void {
    const larger: Array<Occurrence | undefined> = new Array(this.ring.length * 2).fill(undefined)
    for (let position = this.start; position < this.stop; position++) {
      larger[position & (larger.length - 1)] = this.at(position)
    }
    this.ring = larger
  }
}
