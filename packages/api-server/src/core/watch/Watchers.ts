import type { KubeObject } from "@rollcall/api"
import type { ClusterError, LateBookmark, RenewalSink, WatchEvent, WatchRenewal, WatchSink } from "@rollcall/cluster"
import { Timer } from "@rollcall/time"
import type { FieldIndex } from "./KindCache.ts"
import { asAdded, asDeleted, type Occurrence } from "./Occurrence.ts"
import type { Selection } from "./Selection.ts"

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

/** The bookmarks that a watch has not been told. */
export interface LateBookmarks extends LateBookmark {
  /** The last round of its channel that it knows. */
  round: number
  /** The revision of its final bookmark, 0 if that has been told or is not due. */
  finalRevision: number
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
  /** False once the watch has ended or its client has stopped it: the sink is not called any more. */
  active = true
  /** Sends a last bookmark shortly before the timeout. */
  finalBookmark: WatchTimer | undefined
  timeout: WatchTimer | undefined
  /** The bookmarks that its client has not been told; undefined if it gets each as an event. */
  late: LateBookmarks | undefined
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

  /** Tells a late bookmark. */
  tellBookmark(revision: string): void {
    if (!this.active) return
    try {
      this.sink.bookmarks?.told(revision)
    } catch (error) {
      this.onError(this, error)
    }
  }

  /** How the watch reads renewals from columns; undefined if it needs every event. */
  get renewals(): RenewalSink | undefined {
    return this.sink.renewals
  }

  /** Sends the event of an object that was made late. */
  sendMade(occurrence: Occurrence): void {
    if (occurrence.revision <= this.afterRevision) return
    this.late?.settle()
    try {
      const event = this.eventFor(occurrence)
      if (event !== undefined) this.sink.renewals?.made(event)
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

/** Watchers by the value that an object's indexed field must have. */
class WatchersByValue {
  private readonly sets = new Map<string, Set<Watcher>>()

  get empty(): boolean {
    return this.sets.size === 0
  }

  add(value: string, watcher: Watcher): void {
    const set = this.sets.get(value)
    if (set === undefined) this.sets.set(value, new Set([watcher]))
    else set.add(watcher)
  }

  delete(value: string, watcher: Watcher): void {
    const set = this.sets.get(value)
    if (set === undefined) return
    set.delete(watcher)
    if (set.size === 0) this.sets.delete(value)
  }

  get(value: string): ReadonlySet<Watcher> | undefined {
    return this.sets.get(value)
  }
}

/**
 * The watchers of one kind, indexed so that an event is offered only to watchers that may match it: five thousand
 * kubelets that each watch `spec.nodeName=<own>` cost one look-up.
 */
export class WatcherSet {
  private readonly index: FieldIndex | undefined
  /** Watchers that every event matches. */
  private readonly unfiltered = new Set<Watcher>()
  /** Watchers whose selection no index covers: they check every event. */
  private readonly scanning = new Set<Watcher>()
  private readonly byName = new WatchersByValue()
  private readonly byIndex = new WatchersByValue()
  private readonly all = new Set<Watcher>()
  /**
   * The watchers with events in this delivery are the first `gatheredCount` elements. The array is reused, because there
   * is a delivery for every heartbeat.
   */
  private readonly gathered: Array<Watcher | undefined> = []
  private gatheredCount = 0

  constructor(index: FieldIndex | undefined) {
    this.index = index
  }

  get size(): number {
    return this.all.size
  }

  [Symbol.iterator](): IterableIterator<Watcher> {
    return this.all[Symbol.iterator]()
  }

  add(watcher: Watcher): void {
    const { indexedValue, matches, name, namespace } = watcher.selection
    this.all.add(watcher)
    if (indexedValue !== undefined) this.byIndex.add(indexedValue, watcher)
    else if (name !== undefined) this.byName.add(name, watcher)
    else if (matches === undefined && namespace === undefined) this.unfiltered.add(watcher)
    else this.scanning.add(watcher)
  }

  delete(watcher: Watcher): void {
    const { indexedValue, name } = watcher.selection
    this.all.delete(watcher)
    this.unfiltered.delete(watcher)
    this.scanning.delete(watcher)
    if (indexedValue !== undefined) this.byIndex.delete(indexedValue, watcher)
    if (name !== undefined) this.byName.delete(name, watcher)
  }

  /** Offers the event to the watchers that may match it. */
  offer(occurrence: Occurrence): void {
    this.offerAll(this.unfiltered, occurrence)
    this.offerAll(this.scanning, occurrence)
    const object: KubeObject = occurrence.event.object
    if (!this.byName.empty) this.offerAll(this.byName.get(object.metadata.name ?? ""), occurrence)
    if (this.index === undefined || this.byIndex.empty) return
    const now = this.index.valueOf(object)
    this.offerAll(this.byIndex.get(now), occurrence)
    const { previous } = occurrence
    const before = previous === undefined ? now : this.index.valueOf(previous)
    if (before !== now) this.offerAll(this.byIndex.get(before), occurrence)
  }

  /** Sends the events of this delivery, to the watchers in the order in which they got their first one. */
  flush(): void {
    const { gathered, gatheredCount } = this
    // Events written by sinks now belong to the next delivery.
    this.gatheredCount = 0
    for (let index = 0; index < gatheredCount; index++) {
      const watcher = gathered[index] as Watcher
      gathered[index] = undefined
      watcher.flush()
    }
  }

  private offerAll(watchers: ReadonlySet<Watcher> | undefined, occurrence: Occurrence): void {
    if (watchers === undefined || watchers.size === 0) return
    for (const watcher of watchers) if (watcher.offer(occurrence)) this.gathered[this.gatheredCount++] = watcher
  }
}
