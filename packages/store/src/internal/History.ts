import type { Change, Entry, QuietSource, Revision } from "../Store.ts"
import type { Slot } from "./MemoryState.ts"

/**
 * The newest changes in a ring buffer, one slot for each revision: revision r is at r modulo capacity. `oldest` is the
 * oldest revision whose state can still be rebuilt. The slot of a quiet write has the id of its source; its change is
 * made when it is read.
 */
export class History {
  private readonly capacity: number
  private readonly slots: Array<Change | ReadonlyArray<Change> | number | undefined> = []
  private floor: Revision
  newest: Revision
  private readonly sources: Array<QuietSource> = []
  /** The source of each quiet write. */
  private sourceAt = new Uint8Array(0)
  /** When the value of a quiet write was written, and the same of the value before. */
  private timesMs = new Float64Array(0)
  private lastTimesMs = new Float64Array(0)
  private lastRevisions = new Float64Array(0)

  /** `newest` is the revision of a store that was opened with contents; the changes up to it are not in this history. */
  constructor(capacity: number, newest: Revision = 0) {
    this.capacity = Math.max(1, capacity)
    this.newest = newest
    this.floor = newest === 0 ? 0 : newest + 1
  }

  /** The oldest revision at which ranges can be read. A watch can start after the revision before it. */
  get oldest(): Revision {
    return Math.max(this.floor, this.newest - this.capacity + 1)
  }

  /** Adds a source of quiet writes, and returns its number. */
  addSource(source: QuietSource): number {
    const number = this.sources.push(source) - 1
    if (number > 0) return number
    this.sourceAt = new Uint8Array(this.capacity)
    this.timesMs = new Float64Array(this.capacity)
    this.lastTimesMs = new Float64Array(this.capacity)
    this.lastRevisions = new Float64Array(this.capacity)
    return number
  }

  /** Puts the newest values of all sources. */
  settleAll(): void {
    for (const source of this.sources) source.settleAll()
  }

  /** Appends the changes of the next revision. */
  append(changes: Change | ReadonlyArray<Change>): void {
    this.newest++
    this.slots[this.newest % this.capacity] = changes
  }

  /** Appends a quiet write as the next revision. */
  appendQuiet(source: number, id: number, timeMs: number, lastTimeMs: number, lastRevision: Revision): void {
    this.newest++
    const at = this.newest % this.capacity
    this.sourceAt[at] = source
    this.slots[at] = id
    this.timesMs[at] = timeMs
    this.lastTimesMs[at] = lastTimeMs
    this.lastRevisions[at] = lastRevision
  }

  /** Makes the changes of all quiet writes of an id of a source. */
  release(source: number, id: number): void {
    for (let revision = this.oldest; revision <= this.newest; revision++) {
      const at = revision % this.capacity
      if (this.slots[at] === id && this.sourceAt[at] === source) this.slots[at] = this.quietChange(id, revision)
    }
  }

  isQuiet(revision: Revision): boolean {
    return typeof this.slots[revision % this.capacity] === "number"
  }

  /** Discards the changes before this revision. */
  compact(revision: Revision): void {
    const until = Math.min(revision, this.newest)
    for (let at = this.oldest; at < until; at++) this.slots[at % this.capacity] = undefined
    this.floor = Math.max(this.floor, until)
  }

  /** Returns the changes of one kept revision. */
  at(revision: Revision): Change | ReadonlyArray<Change> {
    const kept = this.slots[revision % this.capacity]
    return typeof kept === "number" ? this.quietChange(kept, revision) : (kept as Change | ReadonlyArray<Change>)
  }

  private quietChange(id: number, revision: Revision): Change {
    const at = revision % this.capacity
    const source = this.sources[this.sourceAt[at] as number] as QuietSource
    const { key, createRevision } = (source.placeOf(id) as Slot).current as Entry
    const entryAt = (modRevision: Revision, timeMs: number): Entry => ({
      key,
      createRevision,
      modRevision,
      value: source.valueOf(id, modRevision, timeMs)
    })
    return {
      type: "put",
      entry: entryAt(revision, this.timesMs[at] as number),
      previous: entryAt(this.lastRevisions[at] as number, this.lastTimesMs[at] as number)
    }
  }
}

export const keyOfChange = (change: Change): string => (change.type === "put" ? change.entry.key : change.key)
