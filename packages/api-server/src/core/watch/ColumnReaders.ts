import type { RenewalColumns } from "@rollcall/cluster"
import type { Occurrence } from "./Occurrence.ts"
import type { Watcher } from "./Watchers.ts"

/** The watches of a kind that read renewals from columns, and get no events of those. */
export class ColumnReaders {
  private readonly columns: RenewalColumns
  private readonly readers = new Set<Watcher>()

  constructor(columns: RenewalColumns) {
    this.columns = columns
  }

  get size(): number {
    return this.readers.size
  }

  has(watcher: Watcher): boolean {
    return this.readers.has(watcher)
  }

  /** Handles a watch that begins. Returns whether it reads the columns; otherwise no renewal stays in them. */
  accepts(watcher: Watcher): boolean {
    if (watcher.renewals?.accepts() === true) return true
    this.columns.leaveAll()
    return false
  }

  /** Adds a watch that has all events up to now. */
  add(watcher: Watcher): void {
    this.readers.add(watcher)
    watcher.renewals?.attached(this.columns)
  }

  /** Removes a watch that ends, once it has all that is in the columns. */
  delete(watcher: Watcher): void {
    if (!this.readers.has(watcher)) return
    this.columns.makeAll()
    this.readers.delete(watcher)
    watcher.renewals?.detached()
  }

  /** Shows an object that is made of columns. */
  sendMade(occurrence: Occurrence): void {
    for (const watcher of this.readers) watcher.sendMade(occurrence)
  }
}
