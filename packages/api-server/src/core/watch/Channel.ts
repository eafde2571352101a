import type { HeartbeatColumns, WatchEvent, WatchRequest, WatchSink } from "@rollcall/cluster"
import { KindCounts } from "../metrics/KindCounts.ts"
import { Bookmarks } from "./Bookmarks.ts"
import type { ChannelOptions, WatchStart } from "./ChannelOptions.ts"
import { ColumnReaders } from "./ColumnReaders.ts"
import { EventLog, type QuietEvents } from "./EventLog.ts"
import { asShownLater, type Occurrence } from "./Occurrence.ts"
import type { Selection } from "./Selection.ts"
import type { WatchColumns } from "./WatchColumns.ts"
import { WatcherSet } from "./WatcherSet.ts"
import { Watcher } from "./Watchers.ts"
import { type WatchHost, WatchTerms } from "./WatchTerms.ts"
import { watchBrokenError, watchExpiredError } from "./watchErrors.ts"
import { initialEvents } from "./watchEvents.ts"

/** The maximum number of undelivered events: after a larger burst the watches end and must list again. */
const MAX_UNDELIVERED = 1_000_000

/**
 * The watches of one kind. Events are appended when they are written and delivered together in a separate callback, one
 * for each burst. Upstream: staging/src/k8s.io/apiserver/pkg/storage/cacher.
 */
export class Channel implements WatchHost {
  readonly options: ChannelOptions
  readonly counts = new KindCounts()
  readonly log: EventLog
  readonly watchers: WatcherSet
  /** The position in the log of the first event that has not been delivered to the watchers. */
  private delivered = 0
  private deliveryPlanned = false
  readonly bookmarks: Bookmarks
  private readonly terms: WatchTerms
  /** The watches that read heartbeats from columns, if the kind has those. */
  readers: ColumnReaders | undefined

  constructor(options: ChannelOptions) {
    this.options = options
    this.log = new EventLog(options.definition.watchHistoryEvents, MAX_UNDELIVERED, options.definition.index)
    this.watchers = new WatcherSet(options.definition.index)
    this.bookmarks = new Bookmarks(options, this.deliverNow)
    this.terms = new WatchTerms(this)
  }

  /**
   * Allows that a watch whose time is over goes on in place, if its client opens it again at once, and that clients take
   * bookmarks late. It has no watches yet.
   */
  sparesWork(columns: WatchColumns<Watcher>): void {
    this.terms.columns = columns
    this.bookmarks.columns = columns
    if (this.readers !== undefined) this.readers.rows = columns
  }

  /**
   * Appends an event. If this throws, the watches of the kind end and must list again, so that none of them misses an
   * event.
   */
  publish(occurrence: Occurrence): void {
    try {
      this.append(occurrence)
    } catch (error) {
      this.failAll(occurrence.revision, error)
    }
  }

  private append(occurrence: Occurrence): void {
    this.counts.received++
    // Without watchers the event counts as delivered, so that the log may evict it.
    if (this.watchers.size === 0) {
      this.delivered = this.log.end + 1
      this.counts.dispatched++
    }
    this.log.append(occurrence, this.delivered)
    if (this.deliveryPlanned || this.watchers.size === 0) return
    this.deliveryPlanned = true
    this.options.timers.soon(this.deliver)
  }

  /**
   * Lets heartbeats of the kind's objects in a namespace be kept in columns; `makeEvent` makes the event of one for a watch
   * that resumes.
   */
  setColumns(columns: HeartbeatColumns, namespace: string, makeEvent: QuietEvents["make"]): void {
    this.readers = new ColumnReaders(columns, namespace)
    this.log.setQuietEvents({
      make: makeEvent,
      nameOf: (id) => columns.ownerOf(id).name,
      idOf: (name) => columns.idOf(name)
    })
  }

  /** Whether all watches read heartbeats from columns, or nobody watches. */
  get canReadColumns(): boolean {
    return this.watchers.size === this.readers?.size
  }

  /** Appends a heartbeat that is kept in columns: it counts as delivered. */
  publishQuiet(id: number, revision: number, timeMs: number): void {
    if (this.readers !== undefined) this.readers.newestRevision = revision
    this.counts.received++
    this.counts.dispatched++
    this.log.appendQuiet(id, revision, timeMs)
    this.delivered = this.log.end
  }

  /** Shows an object that is made of columns to the watches that read those. */
  sendMade(occurrence: Occurrence): void {
    if (this.readers !== undefined) this.watchers.visit(occurrence, this.readers.sendMade)
  }

  /** Makes the events of all quiet heartbeats of an id. */
  releaseQuiet(id: number): void {
    this.log.release(id)
  }

  /**
   * Starts a watch; its first events are sent in a separate callback. Returns a function that stops it without a call of
   * `sink.end`.
   */
  watch(request: WatchRequest, selection: Selection, start: WatchStart, sink: WatchSink): () => void {
    const { timers } = this.options
    const watcher = new Watcher(selection, sink, request.allowWatchBookmarks === true, this.endFailed)
    watcher.afterRevision = start.after
    watcher.startRevision = start.after
    const initial = start.initial
      ? initialEvents(this.options, selection, start.bookmarkInitialEnd && watcher.wantsBookmarks)
      : []
    // What a client that resumes has seen is what it asks for.
    const isExact = !start.initial && request.resourceVersion === String(start.after)
    timers.soon(() => this.begin(watcher, initial, isExact))
    const { timeoutSeconds = 0 } = request
    if (timeoutSeconds > 0) this.terms.start(watcher, timeoutSeconds)
    return () => this.stop(watcher)
  }

  /** Whether there are watches, so that what is written now is delivered to some. */
  get isWatched(): boolean {
    return this.watchers.size > 0
  }

  /** Ends a watch whose sink or selection threw; the others continue. */
  private readonly endFailed = (watcher: Watcher, error: unknown): void => {
    const { definition, timers } = this.options
    timers.handleError("watch", error, { kind: definition.key })
    this.remove(watcher)
    watcher.end(watchBrokenError())
    this.stop(watcher)
  }

  readonly remove = (watcher: Watcher): void => {
    this.watchers.delete(watcher)
    this.bookmarks.delete(watcher)
    this.readers?.delete(watcher)
  }

  private stop(watcher: Watcher): void {
    this.remove(watcher)
    watcher.active = false
    this.terms.stop(watcher)
  }

  /** Discards the log: watches can only start from this revision or later. */
  reset(revision: number): void {
    this.log.reset(revision)
    this.delivered = this.log.end
  }

  /** Fills the log with events from before this server started, all of them after `floor`. There are no watchers yet. */
  loadHistory(floor: number, occurrences: Iterable<Occurrence>): void {
    this.reset(floor)
    for (const occurrence of occurrences) this.log.append(occurrence, this.log.end + 1)
    this.delivered = this.log.end
  }

  /** Discards the log as `reset` does, and ends every watch: the events that it missed are unknown. */
  restart(revision: number): void {
    this.reset(revision)
    this.expireAll()
  }

  /** Ends all watches without an error: the server stops, or the kind is not served any more. */
  close(): void {
    for (const watcher of this.watchers.inOrder()) {
      this.remove(watcher)
      watcher.end(undefined)
    }
  }

  /** Sends the initial events and the logged ones, and adds the watcher to those that get later events. */
  private begin(watcher: Watcher, initial: ReadonlyArray<WatchEvent>, isExact: boolean): void {
    if (!watcher.active) return
    const { log } = this
    const asShown = this.options.definition.strategy?.asShown
    if (watcher.afterRevision < log.floor) {
      watcher.end(watchExpiredError(watcher.afterRevision, log.floor))
      return
    }
    this.watchers.add(watcher)
    const readsColumns = this.readers?.accepts(watcher) === true
    if (watcher.wantsBookmarks) this.bookmarks.add(watcher)
    if (isExact) this.bookmarks.know(watcher)
    if (initial.length > 0) watcher.send(initial)
    this.counts.initEvents += initial.length
    log.visit(log.after(watcher.afterRevision), watcher.selection, (occurrence) => {
      this.counts.initEvents++
      watcher.offer(asShown === undefined ? occurrence : asShownLater(occurrence, asShown))
    })
    // A watch from a future revision waits for it.
    watcher.afterRevision = Math.max(watcher.afterRevision, this.options.revision())
    watcher.flush()
    if (readsColumns && watcher.active) this.readers?.add(watcher)
  }

  /** Reports an error after which events may be missing in the log, and ends all watches. */
  private failAll(revision: number, error: unknown): void {
    const { definition, timers } = this.options
    timers.handleError("watch channel", error, { kind: definition.key })
    this.restart(revision)
  }

  private readonly deliver = (): void => {
    this.deliveryPlanned = false
    try {
      this.deliverAll()
    } catch (error) {
      this.failAll(this.options.revision(), error)
    }
  }

  get isAllDelivered(): boolean {
    return this.delivered >= this.log.end
  }

  readonly deliverNow = (): void => {
    if (!this.isAllDelivered) this.deliver()
  }

  private deliverAll(): void {
    const { log, watchers } = this
    const end = log.end
    if (this.delivered < log.first) {
      // More events arrived at once than are ever kept: every watch has missed some.
      this.expireAll()
      return
    }
    this.counts.dispatched += end - this.delivered
    for (let position = this.delivered; position < end; position++) watchers.offer(log.at(position))
    this.delivered = end
    watchers.flush()
  }

  /** Ends all watches with Expired, so that their clients list again. */
  private expireAll(): void {
    this.delivered = this.log.end
    const { floor } = this.log
    for (const watcher of this.watchers.inOrder()) {
      this.remove(watcher)
      watcher.end(watchExpiredError(watcher.afterRevision, floor))
    }
  }
}
