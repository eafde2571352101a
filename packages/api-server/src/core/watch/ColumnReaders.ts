import type { HeartbeatColumns } from "@rollcall/cluster"
import type { Occurrence } from "./Occurrence.ts"
import type { WatchColumns } from "./WatchColumns.ts"
import type { Watcher } from "./Watchers.ts"

/** The watches of a kind that read heartbeats from columns, and get no events of those. */
export class ColumnReaders {
  readonly columns: HeartbeatColumns
  /** The namespace of the objects in columns. */
  private readonly namespace: string
  private readonly readers = new Set<Watcher>()
  /** Those of one object, by its name: the one that began last. */
  private readonly byName = new Map<string, Watcher>()
  /** The rows of the watches, if they have any. */
  rows: WatchColumns<Watcher> | undefined
  /** The revision of the newest heartbeat in the columns. */
  newestRevision = 0

  constructor(columns: HeartbeatColumns, namespace: string) {
    this.columns = columns
    this.namespace = namespace
    columns.follow({
      entered: (id, name) => this.setHeartbeatRow(this.byName.get(name), id),
      left: (_, name) => this.setHeartbeatRow(this.byName.get(name), -1)
    })
  }

  private setHeartbeatRow(watcher: Watcher | undefined, id: number): void {
    if (watcher !== undefined && watcher.row >= 0 && this.rows !== undefined) this.rows.heartbeatRow[watcher.row] = id
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
    if (this.rows !== undefined && watcher.row >= 0) this.rows.isReader[watcher.row] = 1
    const { name, namespace = this.namespace } = watcher.selection
    if (name !== undefined && namespace === this.namespace) {
      this.byName.set(name, watcher)
      this.setHeartbeatRow(watcher, this.columns.idOf(name) ?? -1)
    }
    watcher.heartbeats?.attached(this.columns)
  }

  /** Tells a watch what it reads from the columns, before it goes on in place. */
  tellSeen(watcher: Watcher): void {
    const { name, namespace } = watcher.selection
    if (!this.readers.has(watcher) || (namespace ?? this.namespace) !== this.namespace) return
    const id = name === undefined ? undefined : this.columns.idOf(name)
    if (name === undefined) watcher.heartbeats?.seen(this.newestRevision)
    else if (id !== undefined) watcher.heartbeats?.seen(this.columns.revision[id] as number)
  }

  /** Removes a watch that ends, once it has all that is in the columns. */
  delete(watcher: Watcher): void {
    if (!this.readers.has(watcher)) return
    const { name } = watcher.selection
    if (name === undefined) this.columns.makeAll()
    else this.columns.makeOf(name)
    this.readers.delete(watcher)
    if (name !== undefined && this.byName.get(name) === watcher) this.byName.delete(name)
    if (this.rows !== undefined && watcher.row >= 0) {
      this.rows.isReader[watcher.row] = 0
      this.rows.heartbeatRow[watcher.row] = -1
    }
    watcher.heartbeats?.detached()
  }

  /** Shows an object that is made of columns. */
  readonly sendMade = (watcher: Watcher, occurrence: Occurrence): void => {
    if (this.readers.has(watcher)) watcher.sendMade(occurrence)
  }
}
