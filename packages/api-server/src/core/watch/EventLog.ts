import type { FieldIndex } from "./KindCache.ts"
import type { Occurrence } from "./Occurrence.ts"
import type { Selection } from "./Selection.ts"

/** The initial length of the ring, in events: a power of two. */
const INITIAL_SIZE = 64
/** From this number of positions on, those of evicted events are removed from an index entry. */
const PRUNED_POSITIONS = 64
/**
 * The maximum size of a kind's history, in characters of its objects: with large objects that are rewritten often, fewer
 * events are kept.
 */
export const MAX_HISTORY_SIZE = 32 * 1024 * 1024

/** The heartbeats that are appended without an event. */
export interface QuietEvents {
  /** Makes the event of one. */
  readonly make: (id: number, revision: number, timeMs: number) => Occurrence
  /** Returns the name of the object of an id. */
  readonly nameOf: (id: number) => string
  /** Returns the id of an object; undefined if no heartbeat of it is quiet. */
  readonly idOf: (name: string) => number | undefined
}

/**
 * The newest events of one kind, numbered by position, from which watches resume. It is a ring buffer that is
 * overwritten, so that evicted events are freed at once (a list that is sliced and copied would leave garbage that
 * keeps its contents alive). It grows to its capacity, and beyond it only for undelivered events, up to a bound.
 */
export class EventLog {
  /** The number of delivered events that are kept. */
  private readonly capacity: number
  /** The number of events that are kept while some of them are undelivered. */
  private readonly maxUndelivered: number
  private ring: Array<Occurrence | number | undefined> = new Array(INITIAL_SIZE).fill(undefined)
  /** Knows the quiet heartbeats, whose places in the ring have their ids; these have their revisions and their times. */
  private quiet: QuietEvents | undefined
  private quietRevisions = new Float64Array(0)
  private quietTimes = new Float64Array(0)
  private firstPosition = 0
  private endPosition = 0
  /** The revision of the newest evicted event. */
  private floorRevision = 0
  /** The size of all kept events, in characters. */
  private keptSize = 0
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
    return this.firstPosition
  }

  /** The position after the newest event. */
  get end(): number {
    return this.endPosition
  }

  /**
   * Appends an event, and evicts old ones beyond the bounds. Events before the position `delivered` have been delivered;
   * later ones are evicted only when the log has `maxUndelivered` events.
   */
  append(occurrence: Occurrence, delivered: number): void {
    this.keptSize += occurrence.size
    while (this.keptSize > MAX_HISTORY_SIZE && this.firstPosition < delivered && this.firstPosition < this.endPosition)
      this.evictOldest()
    this.makeRoom(delivered)
    if (this.index !== undefined) this.addToIndex(occurrence, this.index)
    this.ring[this.endPosition++ & (this.ring.length - 1)] = occurrence
  }

  private makeRoom(delivered: number): void {
    const size = this.endPosition - this.firstPosition
    if (size >= this.capacity && (this.firstPosition < delivered || size >= this.maxUndelivered)) this.evictOldest()
    else if (size === this.ring.length) this.grow()
  }

  /** Allows quiet heartbeats. */
  setQuietEvents(quiet: QuietEvents): void {
    this.quiet = quiet
    this.growQuiet()
  }

  private growQuiet(): void {
    this.quietRevisions = new Float64Array(this.ring.length)
    this.quietTimes = new Float64Array(this.ring.length)
  }

  /** Appends a quiet heartbeat of an id, which counts as delivered. */
  appendQuiet(id: number, revision: number, timeMs: number): void {
    this.makeRoom(this.endPosition + 1)
    const at = this.endPosition++ & (this.ring.length - 1)
    this.ring[at] = id
    this.quietRevisions[at] = revision
    this.quietTimes[at] = timeMs
  }

  /** Makes the events of all quiet heartbeats of an id. */
  release(id: number): void {
    const released: Array<number> = []
    for (let position = this.firstPosition; position < this.endPosition; position++) {
      const at = position & (this.ring.length - 1)
      if (this.ring[at] !== id) continue
      this.ring[at] = this.at(position)
      released.push(position)
    }
    if (this.index !== undefined && released.length > 0) this.addReleased(released, this.index)
  }

  /** Indexes the events of one object that were quiet. */
  private addReleased(released: ReadonlyArray<number>, index: FieldIndex): void {
    const value = index.valueOf(this.at(released[0] as number).event.object)
    const positions = [...(this.byValue.get(value) ?? []), ...released]
    this.byValue.set(
      value,
      positions.sort((left, right) => left - right)
    )
  }

  /**
   * Visits, in order, the events from a position on. With a value of the index, only those that concern it: a thousand
   * kubelets that reconnect after an outage each read only the events of their own pods, and of their own Node unless its
   * heartbeats are quiet: those are not in the index. With a name, no event of a quiet heartbeat of another object is made.
   */
  visit(
    from: number,
    { indexedValue: value, name }: Pick<Selection, "indexedValue" | "name">,
    visitor: (occurrence: Occurrence) => void
  ): void {
    if (value === undefined || this.index === undefined || this.mayBeQuiet(name)) {
      for (let position = from; position < this.endPosition; position++) {
        if (name === undefined || this.mayBeOf(position, name)) visitor(this.at(position))
      }
      return
    }
    const positions = this.byValue.get(value) ?? []
    let index = positions.length
    while (index > 0 && (positions[index - 1] as number) >= from) index--
    for (; index < positions.length; index++) visitor(this.at(positions[index] as number))
  }

  private mayBeQuiet(name: string | undefined): boolean {
    return this.quiet !== undefined && (name === undefined || this.quiet.idOf(name) !== undefined)
  }

  /** Whether an event is of an object of this name, or was not quiet. */
  private mayBeOf(position: number, name: string): boolean {
    const kept = this.ring[position & (this.ring.length - 1)]
    return typeof kept !== "number" || this.quiet?.nameOf(kept) === name
  }

  /** Indexes an event by the object's present value, and by its previous one if that was different. */
  private addToIndex({ event: { object }, previous }: Occurrence, index: FieldIndex): void {
    const now = index.valueOf(object)
    this.addPosition(now)
    if (previous === undefined) return
    const before = index.valueOf(previous)
    if (before !== now) this.addPosition(before)
  }

  /** Adds the next event's position. The older half of the positions is dropped once those events are evicted. */
  private addPosition(value: string): void {
    const positions = this.byValue.get(value)
    if (positions === undefined) {
      this.byValue.set(value, [this.endPosition])
      return
    }
    const half = positions.length >> 1
    if (positions.length >= PRUNED_POSITIONS && (positions[half] as number) < this.firstPosition)
      positions.splice(0, half)
    positions.push(this.endPosition)
  }

  /** Returns the event at a position from `first` to before `end`. */
  at(position: number): Occurrence {
    const at = position & (this.ring.length - 1)
    const kept = this.ring[at] as Occurrence | number
    if (typeof kept !== "number") return kept
    return (this.quiet as QuietEvents).make(kept, this.quietRevisions[at] as number, this.quietTimes[at] as number)
  }

  private revisionAt(position: number): number {
    const at = position & (this.ring.length - 1)
    const kept = this.ring[at] as Occurrence | number
    return typeof kept === "number" ? (this.quietRevisions[at] as number) : kept.revision
  }

  /** Returns the position of the first event after the revision. */
  after(revision: number): number {
    let low = this.firstPosition
    let high = this.endPosition
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.revisionAt(middle) <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Discards all events: nothing up to this revision can be sent any more. */
  reset(revision: number): void {
    this.firstPosition = this.endPosition
    this.ring = new Array(INITIAL_SIZE).fill(undefined)
    if (this.quiet !== undefined) this.growQuiet()
    this.floorRevision = revision
    this.keptSize = 0
    this.byValue.clear()
  }

  private evictOldest(): void {
    this.floorRevision = this.revisionAt(this.firstPosition)
    const at = this.firstPosition++ & (this.ring.length - 1)
    const kept = this.ring[at] as Occurrence | number
    if (typeof kept !== "number") this.keptSize -= kept.size
    this.ring[at] = undefined
  }

  /** Doubles the ring. Its length is a power of two, so that a position maps to its slot by a mask. */
  private grow(): void {
    const { quiet, quietRevisions, quietTimes, ring } = this
    this.ring = new Array(ring.length * 2).fill(undefined)
    if (quiet !== undefined) this.growQuiet()
    for (let position = this.firstPosition; position < this.endPosition; position++) {
      const from = position & (ring.length - 1)
      const to = position & (this.ring.length - 1)
      this.ring[to] = ring[from]
      if (quiet === undefined) continue
      this.quietRevisions[to] = quietRevisions[from] as number
      this.quietTimes[to] = quietTimes[from] as number
    }
  }
}
