import type { KubeObject } from "@rollcall/api"
import type { ClusterError, WatchEvent, WatchSink } from "@rollcall/cluster"
import { Timer } from "@rollcall/time"
import type { Selection } from "../registry/Selection.ts"
import { asAdded, asDeleted, type Occurrence } from "./Occurrence.ts"

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
  readonly sink: WatchSink
  readonly bookmarks: boolean
  /** Occurrences up to this revision are not for it: its start covered them. */
  after = 0
  active = true
  lastBookmark: WatchTimer | undefined
  timeout: WatchTimer | undefined
  private batch: Array<WatchEvent> | undefined

  constructor(selection: Selection, sink: WatchSink, bookmarks: boolean) {
    this.selection = selection
    this.sink = sink
    this.bookmarks = bookmarks
  }

  /** Takes the occurrence if it concerns this watch. True when it is the first of the round. */
  offer(occurrence: Occurrence): boolean {
    if (occurrence.revision <= this.after) return false
    const event = this.view(occurrence)
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
    if (this.active) this.sink.events(batch)
  }

  end(error: ClusterError | undefined): void {
    if (!this.active) return
    this.active = false
    this.sink.end(error)
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
