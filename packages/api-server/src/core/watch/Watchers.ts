import type { KubeObject } from "@rollcall/api"
import type { ClusterError, WatchEvent, WatchSink } from "@rollcall/cluster"
import { Timer } from "@rollcall/time"
import type { FieldIndex } from "./KindCache.ts"
import { asAdded, asDeleted, type Occurrence } from "./Occurrence.ts"
import type { Selection } from "./Selection.ts"

/** What is to be done with a watch at a time. */
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

/** One watch in progress: what it wants, how far it has got, and what this round has for it. */
export class Watcher {
  readonly selection: Selection
  private readonly sink: WatchSink
  /** Told of what the sink or the selection threw; the watch is over then. */
  private readonly failed: (watcher: Watcher, error: unknown) => void
  readonly bookmarks: boolean
  /** Occurrences up to this revision are not for it: its start covered them. */
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

  /** Takes the occurrence if it concerns this watch. True when it is the first of the round. */
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
    // Most rounds have one event: a list of just that, not one made to grow.
    this.batch = [event]
    return true
  }

  /** Hands over what the round has gathered. */
  flush(): void {
    const { batch } = this
    if (batch === undefined) return
    this.batch = undefined
    this.tell(batch)
  }

  tell(batch: ReadonlyArray<WatchEvent>): void {
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

  /** The occurrence as this watch sees it: through its selector, things come and go that in truth only changed. */
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

/** Watchers by a value that an object must have to concern them. */
class Shelf {
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
 * The watchers of one kind, arranged so that an occurrence is shown only to those whom it may concern: five thousand kubelets
 * that each watch `spec.nodeName=<own>` cost one look-up.
 */
export class WatcherSet {
  private readonly index: FieldIndex | undefined
  /** They see everything. */
  private readonly whole = new Set<Watcher>()
  /** They look for themselves. */
  private readonly broad = new Set<Watcher>()
  private readonly byName = new Shelf()
  private readonly byIndex = new Shelf()
  private readonly all = new Set<Watcher>()
  /** Who has taken something in this round: a list that is written over, because there is a round for every heartbeat. */
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

  /** Shows the occurrence to those whom it may concern. */
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

  /** Hands over what was taken since the last time, in the order of who took first. */
  flush(): void {
    const { round, roundSize } = this
    // What sinks write now is for the next round.
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
