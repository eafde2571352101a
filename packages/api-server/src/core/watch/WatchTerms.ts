import { nextWatchOrder } from "@rollcall/cluster"
import type { Bookmarks } from "./Bookmarks.ts"
import type { ChannelOptions } from "./ChannelOptions.ts"
import type { ColumnReaders } from "./ColumnReaders.ts"
import type { EventLog } from "./EventLog.ts"
import type { WatchColumns, WatchDue } from "./WatchColumns.ts"
import type { WatcherSet } from "./WatcherSet.ts"
import { type Watcher, WatchTimer } from "./Watchers.ts"
import { watchExpiredError } from "./watchErrors.ts"

/** How long before the timeout of a watch its last bookmark is sent. Upstream: storage/cacher/cache_watcher.go. */
const BOOKMARK_BEFORE_END_MS = 2_000
/**
 * A kind that rests learns the revisions of others from etcd's notifications of progress, whose interval this is as kubeadm sets it:
 * a younger watch has nothing to be told. No watch of a rehearsal ends so early.
 */
const PROGRESS_MS = 5_000

/** The channel whose watches have terms. */
export interface WatchHost {
  readonly options: ChannelOptions
  readonly log: EventLog
  readonly watchers: WatcherSet
  readonly bookmarks: Bookmarks
  /** The watches that read heartbeats from columns, if the kind has those. */
  readonly readers: ColumnReaders | undefined
  readonly isAllDelivered: boolean
  readonly deliverNow: () => void
  readonly remove: (watcher: Watcher) => void
}

/** The final bookmarks, the timeouts and the renewals of a channel's watches. */
export class WatchTerms implements WatchDue {
  private readonly host: WatchHost
  /** Has the watches in rows, and lets those go on in place whose clients open them again at once. */
  columns: WatchColumns<Watcher> | undefined

  constructor(host: WatchHost) {
    this.host = host
  }

  /** Plans the end of a watch that begins now, and its last bookmark. */
  start(watcher: Watcher, timeoutSeconds: number): void {
    const { timers } = this.host.options
    const { columns } = this
    const endsAt = timers.now() + timeoutSeconds * 1000
    const bookmarkAt = endsAt - BOOKMARK_BEFORE_END_MS
    const hasFinal = watcher.wantsBookmarks && bookmarkAt > timers.now()
    if (columns !== undefined) {
      watcher.row = columns.add(watcher, this)
      if (hasFinal) columns.planFinal(watcher.row, bookmarkAt)
      columns.planTimeout(watcher.row, endsAt)
      return
    }
    if (hasFinal) {
      const isEarly = bookmarkAt - timers.now() < PROGRESS_MS
      watcher.finalBookmark = new WatchTimer(isEarly ? this.sendEarlyFinal : this.host.bookmarks.sendFinal, watcher)
      timers.plan(watcher.finalBookmark, bookmarkAt)
    }
    watcher.timeout = new WatchTimer(this.end, watcher)
    timers.plan(watcher.timeout, endsAt)
  }

  /** Cancels what is planned for a watch. */
  stop(watcher: Watcher): void {
    const { timers } = this.host.options
    if (watcher.row >= 0) this.columns?.delete(watcher.row)
    watcher.row = -1
    if (watcher.finalBookmark !== undefined) timers.cancel(watcher.finalBookmark)
    if (watcher.timeout !== undefined) timers.cancel(watcher.timeout)
  }

  /** Sends the last bookmark of a young watch, if its kind has changed since it began. */
  private readonly sendEarlyFinal = (watcher: Watcher): void => {
    const { bookmarks, log } = this.host
    if (log.after(watcher.startRevision) < log.end) bookmarks.sendFinal(watcher)
  }

  readonly finalBookmark = (row: number): void => {
    const { bookmarks, deliverNow, isAllDelivered, options } = this.host
    const columns = this.columns as WatchColumns<Watcher>
    if (!isAllDelivered || columns.isLate[row] === 0) {
      const watcher = columns.watchers[row] as Watcher
      deliverNow()
      if (watcher.row !== row) return
      if (watcher.late === undefined) {
        bookmarks.sendFinal(watcher)
        return
      }
    }
    const revision = options.revision()
    if ((columns.startRevision[row] as number) < revision) columns.finalRevision[row] = revision
  }

  readonly timeout = (row: number): void => {
    const columns = this.columns as WatchColumns<Watcher>
    if (columns.isKnown[row] === 1 && this.goOn(columns, row)) return
    const watcher = columns.watchers[row] as Watcher
    if (this.renew(columns, watcher)) return
    this.end(watcher)
    this.stop(watcher)
  }

  private readonly end = (watcher: Watcher): void => {
    this.host.remove(watcher)
    watcher.end(undefined)
  }

  private planNext(columns: WatchColumns<Watcher>, row: number, timeoutSeconds: number): void {
    const endsAt = this.host.options.timers.now() + timeoutSeconds * 1000
    if (columns.hasFinal[row] === 1) columns.planFinal(row, endsAt - BOOKMARK_BEFORE_END_MS)
    columns.planTimeout(row, endsAt)
  }

  /** Lets a known watch go on without a call of its client, which is told late. Returns false if its client must be asked. */
  private goOn(columns: WatchColumns<Watcher>, row: number): boolean {
    const { bookmarks, isAllDelivered, log, options, readers } = this.host
    if (!isAllDelivered) return false
    const heartbeatRow = columns.heartbeatRow[row] as number
    const heartbeat = heartbeatRow >= 0 ? (readers?.columns.revision[heartbeatRow] as number) : 0
    const seen = Math.max(bookmarks.untold(row) || (columns.startRevision[row] as number), heartbeat)
    if (seen < log.floor) return false
    // What is made late for a reader of columns has an earlier revision.
    if (columns.isReader[row] === 0) columns.afterRevision[row] = Math.max(seen, options.revision())
    columns.startRevision[row] = seen
    columns.finalRevision[row] = 0
    columns.round[row] = bookmarks.round
    columns.renewedMs[row] = options.timers.now()
    columns.order[row] = nextWatchOrder()
    this.planNext(columns, row, columns.nextTimeoutSeconds(row))
    return true
  }

  /** Lets a watch go on as if its client had opened it again. Returns false if it must end. */
  private renew(columns: WatchColumns<Watcher>, watcher: Watcher): boolean {
    const { bookmarks, isAllDelivered, log, options, readers, remove, watchers } = this.host
    if (!isAllDelivered) return false
    watcher.late?.settle()
    readers?.tellSeen(watcher)
    const renewal = watcher.renew()
    if (renewal === undefined) return false
    const after = Number(renewal.resourceVersion)
    this.planNext(columns, watcher.row, renewal.timeoutSeconds)
    const { floor } = log
    if (after < floor) {
      remove(watcher)
      options.timers.soon(() => watcher.end(watchExpiredError(after, floor)))
      return true
    }
    // It is now the last of those that see the same.
    watchers.moveToEnd(watcher)
    watcher.startRevision = after
    // What is made late for a reader of columns has an earlier revision.
    if (readers?.has(watcher) !== true) watcher.afterRevision = Math.max(after, options.revision())
    if (watcher.wantsBookmarks) bookmarks.add(watcher)
    bookmarks.know(watcher)
    return true
  }
}
