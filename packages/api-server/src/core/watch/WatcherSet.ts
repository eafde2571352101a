import type { KubeObject } from "@rollcall/api"
import { nextWatchOrder } from "@rollcall/cluster"
import type { FieldIndex } from "./KindCache.ts"
import type { Occurrence } from "./Occurrence.ts"
import type { Watcher } from "./Watchers.ts"

/** Watchers by the value that an object's indexed field must have. */
class WatchersByValue {
  private readonly sets = new Map<string, Set<Watcher>>()

  get empty(): boolean {
    return this.sets.size === 0
  }

  add(value: string, watcher: Watcher): void {
    const set = this.sets.get(value)
    watcher.isAlone = set === undefined
    if (set === undefined) this.sets.set(value, new Set([watcher]))
    else {
      for (const other of set) other.joined()
      set.add(watcher)
    }
  }

  delete(value: string, watcher: Watcher): void {
    const set = this.sets.get(value)
    if (set === undefined) return
    set.delete(watcher)
    if (set.size === 0) this.sets.delete(value)
  }

  moveToEnd(value: string, watcher: Watcher): void {
    const set = this.sets.get(value)
    if (set !== undefined && set.size > 1 && set.delete(watcher)) set.add(watcher)
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

  /** Returns all watchers, in the order in which they began. */
  inOrder(): ReadonlyArray<Watcher> {
    for (const { late } of this.all) late?.settle()
    return [...this.all].sort((left, right) => left.order - right.order)
  }

  add(watcher: Watcher): void {
    const { indexedValue, matches, name, namespace } = watcher.selection
    watcher.order = nextWatchOrder()
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

  /** Does what removing and adding a watcher would do, without moving it among thousands. */
  moveToEnd(watcher: Watcher): void {
    const { indexedValue, name } = watcher.selection
    watcher.order = nextWatchOrder()
    if (indexedValue !== undefined) this.byIndex.moveToEnd(indexedValue, watcher)
    else if (name !== undefined) this.byName.moveToEnd(name, watcher)
    else if (this.unfiltered.delete(watcher)) this.unfiltered.add(watcher)
    else if (this.scanning.delete(watcher)) this.scanning.add(watcher)
  }

  /** Offers the event to the watchers that may match it. */
  offer(occurrence: Occurrence): void {
    this.visit(occurrence, this.gather)
  }

  /** Visits the watchers that may match an event. */
  visit(occurrence: Occurrence, visitor: (watcher: Watcher, occurrence: Occurrence) => void): void {
    visitAll(this.unfiltered, occurrence, visitor)
    visitAll(this.scanning, occurrence, visitor)
    const object: KubeObject = occurrence.event.object
    if (!this.byName.empty) visitAll(this.byName.get(object.metadata.name ?? ""), occurrence, visitor)
    if (this.index === undefined || this.byIndex.empty) return
    const now = this.index.valueOf(object)
    visitAll(this.byIndex.get(now), occurrence, visitor)
    const { previous } = occurrence
    const before = previous === undefined ? now : this.index.valueOf(previous)
    if (before !== now) visitAll(this.byIndex.get(before), occurrence, visitor)
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

  private readonly gather = (watcher: Watcher, occurrence: Occurrence): void => {
    if (watcher.offer(occurrence)) this.gathered[this.gatheredCount++] = watcher
  }
}

const visitAll = (
  watchers: ReadonlySet<Watcher> | undefined,
  occurrence: Occurrence,
  visitor: (watcher: Watcher, occurrence: Occurrence) => void
): void => {
  if (watchers === undefined || watchers.size === 0) return
  for (const watcher of watchers) visitor(watcher, occurrence)
}
