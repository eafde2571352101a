import type { KubeObject } from "@rollcall/api"
import type { ClusterError, WatchEvent, WatchSink } from "@rollcall/cluster"
import { Timer } from "@rollcall/time"
import type { FieldIndex } from "./KindCache.ts"
import { asAdded, asDeleted, type Occurrence } from "./Occurrence.ts"
import type { Selection } from "./Selection.ts"

/** A timer of a watch, for its bookmarks or its timeout. */
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
  /** Called with the error that the sink or the selection threw; the watch is over then. */
  private readonly failed: (watcher: Watcher, error: unknown) => void
  readonly bookmarks: boolean
  /** Events up to this revision are skipped: the initial events covered them. */
  after = 0
  active = true
  lastBookmark: WatchTimer | undefined
  timeout: WatchTimer | undefined
  private batch: Array<WatchEvent> | undefined

  constructor(
    selection: Selection,
    sink: WatchSink,
    bookmarks: boolean,
    failed: (watcher: Watcher, error: unknown) => void
  ) {
    this.selection = selection
    this.sink = sink
    this.bookmarks = bookmarks
    this.failed = failed
  }

  /** Takes the event if it matches this watch. Returns true for the first event of a delivery. */
  offer(occurrence: Occurrence): boolean {
    if (occurrence.revision <= this.after) return false
    let event: WatchEvent | undefined
    try {
      event = this.view(occurrence)
    } catch (error) {
      this.failed(this, error)
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

  /** Delivers the gathered events. */
  flush(): void {
    const { batch } = this
    if (batch === undefined) return
    this.batch = undefined
    this.send(batch)
  }

  send(batch: ReadonlyArray<WatchEvent>): void {
    if (!this.active) return
    try {
      this.sink.events(batch)
    } catch (error) {
      this.failed(this, error)
    }
  }

  end(error: ClusterError | undefined): void {
    if (!this.active) return
    this.active = false
    try {
      this.sink.end(error)
    } catch (thrown) {
      this.failed(this, thrown)
    }
  }

  /** Returns the event as this watch sees it: with a selector, a modified object may be ADDED or DELETED. */
  private view(occurrence: Occurrence): WatchEvent | undefined {
    const { event, previous } = occurrence
    const { selection } = this
    const object: KubeObject = event.object
    if (selection.namespace !== undefined && object.metadata.namespace !== selection.namespace) return undefined
    if (selection.matches === undefined) return event
    switch (event.type) {
      case "ADDED":
        return selection.matches(object) ? event : undefined
      case "DELETED":
        return selection.matches(previous ?? object) ? event : undefined
      case "MODIFIED": {
        const did = previous !== undefined && selection.matches(previous)
        if (selection.matches(object)) return did ? event : asAdded(occurrence)
        return did ? asDeleted(occurrence) : undefined
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
  /** Watchers without a selection. */
  private readonly whole = new Set<Watcher>()
  /** Watchers that check each event themselves. */
  private readonly broad = new Set<Watcher>()
  private readonly byName = new WatchersByValue()
  private readonly byIndex = new WatchersByValue()
  private readonly all = new Set<Watcher>()
  /**
   * The watchers with events in this delivery: an array that is reused, because there is a delivery for every
   * heartbeat.
   */
  private readonly round: Array<Watcher | undefined> = []
  private roundSize = 0

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
    const { indexed, matches, name, namespace } = watcher.selection
    this.all.add(watcher)
    if (indexed !== undefined) this.byIndex.add(indexed, watcher)
    else if (name !== undefined) this.byName.add(name, watcher)
    else if (matches === undefined && namespace === undefined) this.whole.add(watcher)
    else this.broad.add(watcher)
  }

  delete(watcher: Watcher): void {
    const { indexed, name } = watcher.selection
    this.all.delete(watcher)
    this.whole.delete(watcher)
    this.broad.delete(watcher)
    if (indexed !== undefined) this.byIndex.delete(indexed, watcher)
    if (name !== undefined) this.byName.delete(name, watcher)
  }

  /** Offers the event to the watchers that may match it. */
  offer(occurrence: Occurrence): void {
    this.offerAll(this.whole, occurrence)
    this.offerAll(this.broad, occurrence)
    const object: KubeObject = occurrence.event.object
    if (!this.byName.empty) this.offerAll(this.byName.get(object.metadata.name ?? ""), occurrence)
    if (this.index === undefined || this.byIndex.empty) return
    const now = this.index.valueOf(object)
    this.offerAll(this.byIndex.get(now), occurrence)
    const { previous } = occurrence
    const before = previous === undefined ? now : this.index.valueOf(previous)
    if (before !== now) this.offerAll(this.byIndex.get(before), occurrence)
  }

  /** Delivers the gathered events, in the order in which watchers got their first. */
  flush(): void {
    const { round, roundSize } = this
    // Events written by sinks now belong to the next delivery.
    this.roundSize = 0
    for (let index = 0; index < roundSize; index++) {
      const watcher = round[index] as Watcher
      round[index] = undefined
      watcher.flush()
    }
  }

  private offerAll(watchers: ReadonlySet<Watcher> | undefined, occurrence: Occurrence): void {
    if (watchers === undefined || watchers.size === 0) return
    for (const watcher of watchers) if (watcher.offer(occurrence)) this.round[this.roundSize++] = watcher
  }
}
