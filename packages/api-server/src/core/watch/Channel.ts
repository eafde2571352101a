import { expired, internalError } from "@rollcall/api"
import { type AnyKind, ApiError, type WatchEvent, type WatchRequest, type WatchSink } from "@rollcall/cluster"
import type { Timer, TimersShape } from "@rollcall/time"
import { EventLog } from "./EventLog.ts"
import type { KindCache } from "./KindCache.ts"
import type { Occurrence } from "./Occurrence.ts"
import { type SelectableKind, type Selection, selectFrom } from "./Selection.ts"
import { Watcher, WatcherSet, WatchTimer } from "./Watchers.ts"

const BOOKMARK_EVERY_MS = 60_000
const BOOKMARK_BEFORE_END_MS = 2_000
/** The maximum number of undelivered events: after a larger burst the watches end and must list again. */
const MAX_UNDELIVERED = 1_000_000

/** The properties of a kind that watches need. */
export interface WatchedKind extends SelectableKind {
  readonly key: AnyKind
  readonly apiVersion: string
  /** The number of past events from which watches can resume. */
  readonly history: number
}

/** The error of a watch whose history has been discarded: the client must list again. */
const expiredWatch = (requested: number, oldest: number): ApiError =>
  new ApiError({ status: expired(`too old resource version: ${requested} (${oldest})`) })

/** The error of a watch in which something threw. */
export const brokenWatch = (): ApiError => new ApiError({ status: internalError("the watch cannot go on") })

export interface ChannelOptions {
  readonly definition: WatchedKind
  /** The objects of the kind, and the revision that they show. */
  readonly cache: KindCache
  readonly revision: () => number
  readonly timers: TimersShape
}

/** How a watch starts: with the existing objects (`initial`), or after a revision. */
export interface WatchStart {
  readonly initial: boolean
  /** With `initial`, the present revision. */
  readonly after: number
  /** Send an annotated bookmark after the initial events. */
  readonly markEnd: boolean
}

/**
 * The watches of one kind. Events are appended when they are written and delivered together in a separate callback, one
 * for each burst. Upstream: staging/src/k8s.io/apiserver/pkg/storage/cacher.
 */
export class Channel {
  readonly options: ChannelOptions
  private readonly log: EventLog
  private readonly watchers: WatcherSet
  /** The log has been delivered up to this position. */
  private delivered = 0
  private awake = false
  private bookmarkTimer: Timer | undefined

  constructor(options: ChannelOptions) {
    this.options = options
    this.log = new EventLog(options.definition.history, MAX_UNDELIVERED, options.definition.index)
    this.watchers = new WatcherSet(options.definition.index)
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
    if (this.watchers.size === 0) this.delivered = this.log.end + 1
    this.log.append(occurrence, this.delivered)
    if (this.awake || this.watchers.size === 0) return
    this.awake = true
    this.options.timers.soon(this.deliver)
  }

  watch(request: WatchRequest, selection: Selection, start: WatchStart, sink: WatchSink): () => void {
    const { timers } = this.options
    const watcher = new Watcher(selection, sink, request.allowWatchBookmarks === true, this.failed)
    watcher.after = start.after
    const initial = start.initial ? this.present(selection, start.markEnd && watcher.bookmarks) : []
    timers.soon(() => this.begin(watcher, initial))
    if (request.timeoutSeconds !== undefined && request.timeoutSeconds > 0) {
      const endsAt = timers.now() + request.timeoutSeconds * 1000
      const bookmarkAt = endsAt - BOOKMARK_BEFORE_END_MS
      if (watcher.bookmarks && bookmarkAt > timers.now()) {
        watcher.lastBookmark = new WatchTimer(this.sendFinalBookmark, watcher)
        timers.plan(watcher.lastBookmark, bookmarkAt)
      }
      watcher.timeout = new WatchTimer(this.timeOut, watcher)
      timers.plan(watcher.timeout, endsAt)
    }
    return () => this.stop(watcher)
  }

  private readonly sendFinalBookmark = (watcher: Watcher): void => this.bookmark([watcher])

  private readonly timeOut = (watcher: Watcher): void => {
    this.watchers.delete(watcher)
    watcher.end(undefined)
  }

  /** Ends a watch whose sink or selection threw; the others continue. */
  private readonly failed = (watcher: Watcher, error: unknown): void => {
    const { definition, timers } = this.options
    timers.handleError("watch", error, { kind: definition.key })
    this.watchers.delete(watcher)
    watcher.end(brokenWatch())
    this.stop(watcher)
  }

  private stop(watcher: Watcher): void {
    const { timers } = this.options
    watcher.active = false
    this.watchers.delete(watcher)
    if (watcher.lastBookmark !== undefined) timers.cancel(watcher.lastBookmark)
    if (watcher.timeout !== undefined) timers.cancel(watcher.timeout)
  }

  /** Discards everything up to this revision. */
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

  /** As `reset`, and ends every watch: the events that it missed are unknown, so it must list again. */
  restart(revision: number): void {
    this.reset(revision)
    this.expire()
  }

  /** Ends all watches, as a server that shuts down does. */
  close(): void {
    for (const watcher of [...this.watchers]) {
      this.watchers.delete(watcher)
      watcher.end(undefined)
    }
  }

  /** Returns the existing objects as ADDED events. */
  private present(selection: Selection, markEnd: boolean): ReadonlyArray<WatchEvent> {
    const events: Array<WatchEvent> = []
    selectFrom(this.options.cache, selection, (object) => events.push({ type: "ADDED", object }))
    if (markEnd) events.push(this.bookmarkEvent(this.options.revision(), true))
    return events
  }

  private begin(watcher: Watcher, initial: ReadonlyArray<WatchEvent>): void {
    if (!watcher.active) return
    const { log } = this
    if (watcher.after < log.floor) {
      watcher.end(expiredWatch(watcher.after, log.floor))
      return
    }
    this.watchers.add(watcher)
    if (watcher.bookmarks) this.planBookmarks()
    if (initial.length > 0) watcher.send(initial)
    log.visit(log.after(watcher.after), watcher.selection.indexed, (occurrence) => watcher.offer(occurrence))
    // A watch from a future revision waits for it.
    watcher.after = Math.max(watcher.after, this.options.revision())
    watcher.flush()
  }

  private failAll(revision: number, error: unknown): void {
    const { definition, timers } = this.options
    timers.handleError("watch channel", error, { kind: definition.key })
    this.restart(revision)
  }

  private readonly deliver = (): void => {
    this.awake = false
    try {
      this.deliverAll()
    } catch (error) {
      this.failAll(this.options.revision(), error)
    }
  }

  private deliverAll(): void {
    const { log, watchers } = this
    const end = log.end
    if (this.delivered < log.first) {
      // More events arrived at once than are ever kept: every watch has missed some.
      this.expire()
      return
    }
    for (let position = this.delivered; position < end; position++) watchers.offer(log.at(position))
    this.delivered = end
    watchers.flush()
  }

  private expire(): void {
    this.delivered = this.log.end
    const { floor } = this.log
    for (const watcher of [...this.watchers]) {
      this.watchers.delete(watcher)
      watcher.end(expiredWatch(watcher.after, floor))
    }
  }

  private planBookmarks(): void {
    if (this.bookmarkTimer !== undefined) return
    this.bookmarkTimer = this.options.timers.after(BOOKMARK_EVERY_MS, () => {
      this.bookmarkTimer = undefined
      const interested = [...this.watchers].filter((watcher) => watcher.bookmarks)
      if (interested.length === 0) return
      this.bookmark(interested)
      this.planBookmarks()
    })
  }

  /** Sends bookmarks to watchers. Undelivered events are delivered first. */
  private bookmark(watchers: ReadonlyArray<Watcher>): void {
    if (this.delivered < this.log.end) this.deliver()
    const batch = [this.bookmarkEvent(this.options.revision(), false)]
    for (const watcher of watchers) watcher.send(batch)
  }

  private bookmarkEvent(revision: number, initialEventsEnd: boolean): WatchEvent {
    const { apiVersion, resource } = this.options.definition
    const annotations = { "k8s.io/initial-events-end": "true" }
    const metadata = { resourceVersion: String(revision), ...(initialEventsEnd ? { annotations } : {}) }
    return { type: "BOOKMARK", object: { apiVersion, kind: resource.kind, metadata } }
  }
}
