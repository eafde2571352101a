import type { Occurrence } from "./Occurrence.ts"

const FIRST_SIZE = 64

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

  constructor(capacity: number, maxUndelivered: number) {
    this.capacity = capacity
    this.maxUndelivered = maxUndelivered
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
    const size = this.stop - this.start
    if (size >= this.capacity && (this.start < delivered || size >= this.maxUndelivered)) this.forgetOldest()
    else if (size === ring.length) this.grow()
    this.ring[this.stop++ & (this.ring.length - 1)] = occurrence
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
  }

  private forgetOldest(): void {
    const at = this.start++ & (this.ring.length - 1)
    this.floorRevision = (this.ring[at] as Occurrence).revision
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
