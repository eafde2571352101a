import type { HeartbeatColumns } from "@rollcall/cluster"
import type { Occurrence } from "./Occurrence.ts"
import type { Watcher } from "./Watchers.ts"

/** The watches of a kind that read heartbeats from columns, and get no events of those. */
export class ColumnReaders {
  readonly columns: HeartbeatColumns
  /** The namespace of the objects in columns. */
  private readonly namespace: string
  private readonly readers = new Set<Watcher>()
  /** The revision of the newest heartbeat in the columns. */
  newestRevision = 0

  constructor(columns: HeartbeatColumns, namespace: string) {
    this.columns = columns
    this.namespace = namespace
  }

  get size(): number {
    return this.readers.size
  }

  has(watcher: Watcher): boolean {
    return this.readers.has(watcher)
  }

  /** Handles a watch that begins. Returns whether it reads the columns; otherwise no heartbeat stays in them. */
  accepts(watcher: Watcher): boolean {
    const { matches, name } = watcher.selection
    const isAll = matches === undefined || name !== undefined
    if (isAll && watcher.heartbeats?.accepts() === true) return true
    this.columns.leaveAll()
    return false
  }

  /** Adds a watch that has all events up to now. */
  add(watcher: Watcher): void {
    this.readers.add(watcher)
    watcher.heartbeats?.attached(this.columns)
  }

  /** Returns the revision of the last heartbeat that a watch reads from the columns, 0 if there is none. */
  seenBy(watcher: Watcher): number {
    const { name, namespace } = watcher.selection
    if (!this.readers.has(watcher) || (namespace ?? this.namespace) !== this.namespace) return 0
    if (name === undefined) return this.newestRevision
    const id = this.columns.idOf(name)
    return id === undefined ? 0 : (this.columns.revision[id] as number)
  }

  /** Tells a watch what it reads from the columns, before it goes on in place. */
  tellSeen(watcher: Watcher): void {
    const seen = this.seenBy(watcher)
    if (seen > 0) watcher.heartbeats?.seen(seen)
  }

  /** Removes a watch that ends, once it has all that is in the columns. */
  delete(watcher: Watcher): void {
    if (!this.readers.has(watcher)) return
    const { name } = watcher.selection
    if (name === undefined) this.columns.makeAll()
    else this.columns.makeOf(name)
    this.readers.delete(watcher)
    watcher.heartbeats?.detached()
  }

  /** Shows an object that is made of columns. */
  readonly sendMade = (watcher: Watcher, occurrence: Occurrence): void => {
    if (this.readers.has(watcher)) watcher.sendMade(occurrence)
  }
}
