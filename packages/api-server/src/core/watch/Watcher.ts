import type { KubeObject } from "@rollcall/api"
import type { ClusterError, WatchEvent, WatchSink } from "@rollcall/cluster"
import { Timer } from "@rollcall/time"
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

  ring(): void {
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
