import type { Change, Revision } from "../Store.ts"

/**
 * The newest changes in a ring buffer, one slot for each revision: revision r is at r modulo capacity. `oldest` is the
 * oldest revision whose state can still be rebuilt.
 */
export class History {
  private readonly capacity: number
  private readonly slots: Array<Change | ReadonlyArray<Change> | undefined> = []
  private floor: Revision
  newest: Revision

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

  /** Appends the changes of the next revision. */
  append(changes: Change | ReadonlyArray<Change>): void {
    this.newest++
    this.slots[this.newest % this.capacity] = changes
  }

  /** Discards the changes before this revision. */
  compact(revision: Revision): void {
    const until = Math.min(revision, this.newest)
    for (let at = this.oldest; at < until; at++) this.slots[at % this.capacity] = undefined
    this.floor = Math.max(this.floor, until)
  }

  /** Returns the changes of one kept revision. */
  at(revision: Revision): Change | ReadonlyArray<Change> {
    return this.slots[revision % this.capacity] as Change | ReadonlyArray<Change>
  }
}

export const keyOfChange = (change: Change): string => (change.type === "put" ? change.entry.key : change.key)
