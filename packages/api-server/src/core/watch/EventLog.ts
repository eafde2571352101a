import type { FieldIndex } from "./KindCache.ts"
import type { Occurrence } from "./Occurrence.ts"

const FIRST_SIZE = 64
/** What the objects of one kind's history may measure, in characters: a large object that is rewritten again and again is not kept often. */
export const MAX_HISTORY_SIZE = 32 * 1024 * 1024

/**
 * The newest occurrences of one kind, numbered by position: what watches resume from. A ring that is written over, so that what
 * leaves it is free at once (a list that is cut and copied would leave dead copies behind, and those keep alive what they hold).
 * It grows to its capacity, and beyond it only while it holds what has not been delivered, and even then not without bound.
 */
export class EventLog {
  private readonly capacity: number
  private readonly maxUndelivered: number
  private ring: Array<Occurrence | undefined> = new Array(FIRST_SIZE).fill(undefined)
  private start = 0
  private stop = 0
  private floorRevision = 0
  /** Of all occurrences that are kept, in characters. */
  private kept = 0
  private readonly index: FieldIndex | undefined
  /** Positions of what concerns a value of the index, oldest first; the oldest may have left the log. */
  private readonly byValue = new Map<string, Array<number>>()

  constructor(capacity: number, maxUndelivered: number, index?: FieldIndex) {
    this.capacity = capacity
    this.maxUndelivered = maxUndelivered
    this.index = index
  }

  /** The oldest revision after which the log is complete. */
  get floor(): number {
    return this.floorRevision
  }

  /** The position of the oldest occurrence kept. */
  get first(): number {
    return this.start
  }

  /** The position behind the newest occurrence. */
  get end(): number {
    return this.stop
  }

  /** Everything from position `delivered` on is still owed to somebody. */
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
   * Shows, in order, what is kept from a position on. With a value of the index only what concerns it: a thousand kubelets that
   * come back after an outage ask each for its own few pods, and not for all that happened meanwhile.
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

  /** The position of the first occurrence after the revision. */
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

  /** Forgets everything so far: nothing at or before this revision can be told any more. */
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

  /** Sizes are powers of two, so that a position finds its place by a mask. */
  private grow(): void {
    const larger: Array<Occurrence | undefined> = new Array(this.ring.length * 2).fill(undefined)
    for (let position = this.start; position < this.stop; position++) {
      larger[position & (larger.length - 1)] = this.at(position)
    }
    this.ring = larger
  }
}
