import type { KubeObject } from "@rollcall/api"
import type {
  ClusterError,
  HeartbeatSink,
  LateBookmark,
  LateRenewals,
  WatchEvent,
  WatchRenewal,
  WatchSink
} from "@rollcall/cluster"
import { Timer } from "@rollcall/time"
import { asAdded, asDeleted, type Occurrence } from "./Occurrence.ts"
import type { Selection } from "./Selection.ts"
import type { WatchColumns } from "./WatchColumns.ts"

/** A timer of a watch, for its final bookmark or its timeout. */
export class WatchTimer extends Timer {
  private readonly act: (watcher: Watcher) => void
  private readonly watcher: Watcher

  constructor(act: (watcher: Watcher) => void, watcher: Watcher) {
    super()
    this.act = act
    this.watcher = watcher
  }

  fire(): void {
    this.act(this.watcher)
  }
}

/** An open watch: its selection, its position, and the events of the current delivery. */
export class Watcher {
  readonly selection: Selection
  private readonly sink: WatchSink
  /** Called with the error that the sink or the selection threw; it ends the watch. */
  private readonly onError: (watcher: Watcher, error: unknown) => void
  readonly wantsBookmarks: boolean
  /** Events up to this revision are skipped: the client has them, or the initial events contain them. */
  afterRevision = 0
  /** The revision from which the watch started. */
  startRevision = 0
  /** Its place among the watches of its kind; the largest began last. */
  order = 0
  /** False once the watch has ended or its client has stopped it: the sink is not called any more. */
  active = true
  /** Sends a last bookmark shortly before the timeout. */
  finalBookmark: WatchTimer | undefined
  timeout: WatchTimer | undefined
  /** The bookmarks that its client has not been told; undefined if it gets each as an event. */
  late: LateBookmark | undefined
  /** Its row of WatchColumns, -1 if it has none. */
  row = -1
  /** Whether no other watch has had the same value of an index, so that its place among those does not matter. */
  isAlone = false
  /** The events of the current delivery; undefined if there are none. */
  private batch: Array<WatchEvent> | undefined

  constructor(
    selection: Selection,
    sink: WatchSink,
    wantsBookmarks: boolean,
    onError: (watcher: Watcher, error: unknown) => void
  ) {
    this.selection = selection
    this.sink = sink
    this.wantsBookmarks = wantsBookmarks
    this.onError = onError
  }

  /** Adds the event to the current delivery if it matches this watch. Returns true if it is the first one in it. */
  offer(occurrence: Occurrence): boolean {
    if (occurrence.revision <= this.afterRevision) return false
    // A watch of one object that resumes is offered the events of all: most of them end here.
    const { name } = this.selection
    if (name !== undefined && occurrence.event.object.metadata.name !== name) return false
    let event: WatchEvent | undefined
    try {
      event = this.eventFor(occurrence)
    } catch (error) {
      this.onError(this, error)
    }
    if (event === undefined) return false
    if (this.batch !== undefined) {
      this.batch.push(event)
      return false
    }
    // Most deliveries have one event: an array of exactly that, without growing.
    this.batch = [event]
    return true
  }

  /** Asks whether the watch goes on after its timeout. */
  renew(): WatchRenewal | undefined {
    this.late?.settle()
    try {
      return this.active ? this.sink.renew?.() : undefined
    } catch (error) {
      this.onError(this, error)
      return undefined
    }
  }

  /** Whether the client takes bookmarks late. */
  attachBookmarks(late: LateBookmark): boolean {
    return this.sink.bookmarks?.attached(late) === true
  }

  /** How the watch goes on without being asked; undefined if it must be asked. */
  get renewals(): LateRenewals | undefined {
    return this.sink.renewals
  }

  /** Takes over a renewal from the columns, and tells it. */
  wasRenewed(atMs: number, { afterRevision, order, startRevision }: WatchColumns<Watcher>): void {
    const { row } = this
    this.startRevision = startRevision[row] as number
    this.afterRevision = Math.max(this.afterRevision, afterRevision[row] as number)
    this.order = order[row] as number
    if (!this.active) return
    try {
      this.sink.renewals?.renewed({ revision: this.startRevision, atMs, order: this.order })
    } catch (error) {
      this.onError(this, error)
    }
  }

  /** Notes that there is another watch with the same value of an index. */
  joined(): void {
    this.isAlone = false
    this.late?.settle()
  }

  /** Tells a late bookmark. */
  tellBookmark(revision: string): void {
    if (!this.active) return
    try {
      this.sink.bookmarks?.told(revision)
    } catch (error) {
      this.onError(this, error)
    }
  }

  /** How the watch reads heartbeats from columns; undefined if it needs every event. */
  get heartbeats(): HeartbeatSink | undefined {
    return this.sink.heartbeats
  }

  /** Sends the event of an object that was made late. */
  sendMade(occurrence: Occurrence): void {
    if (occurrence.revision <= this.afterRevision) return
    this.late?.settle()
    try {
      const event = this.eventFor(occurrence)
      if (event !== undefined) this.sink.heartbeats?.made(event)
    } catch (error) {
      this.onError(this, error)
    }
  }

  /** Sends the events of the current delivery. */
  flush(): void {
    const { batch } = this
    if (batch === undefined) return
    this.batch = undefined
    this.send(batch)
  }

  send(batch: ReadonlyArray<WatchEvent>): void {
    if (!this.active) return
    this.late?.settle()
    try {
      this.sink.events(batch)
    } catch (error) {
      this.onError(this, error)
    }
  }

  end(error: ClusterError | undefined): void {
    if (!this.active) return
    this.active = false
    try {
      this.sink.end(error)
    } catch (thrown) {
      this.onError(this, thrown)
    }
  }

  /**
   * Returns the event as this watch sees it, or undefined if it does not match: with a selector, a modified object may
   * be ADDED or DELETED.
   */
  private eventFor(occurrence: Occurrence): WatchEvent | undefined {
    const { event, previous } = occurrence
    const { selection } = this
    const object: KubeObject = event.object
    if (selection.namespace !== undefined && object.metadata.namespace !== selection.namespace) return undefined
    if (selection.matches === undefined) return event
    if (selection.eventOf !== undefined) return selection.eventOf(occurrence)
    switch (event.type) {
      case "ADDED":
        return selection.matches(object) ? event : undefined
      case "DELETED":
        return selection.matches(previous ?? object) ? event : undefined
      case "MODIFIED": {
        const matchedBefore = previous !== undefined && selection.matches(previous)
        if (selection.matches(object)) return matchedBefore ? event : asAdded(occurrence)
        return matchedBefore ? asDeleted(occurrence) : undefined
      }
    }
  }
}
