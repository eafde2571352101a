import type { Timer } from "@rollcall/time"
import type { ChannelOptions } from "./ChannelOptions.ts"
import type { LateBookmarks, Watcher } from "./Watchers.ts"
import { bookmarkEvent } from "./watchEvents.ts"

/** Upstream: storage/cacher/cacher.go, defaultBookmarkFrequency. */
const BOOKMARK_EVERY_MS = 60_000

/**
 * The bookmarks of a channel's watches. 10,000 watches of kubelets get 600,000 bookmarks an hour, of which each replaces
 * the one before: a watch whose client takes its bookmarks late is told only the last one, before anything that depends
 * on it.
 */
export class Bookmarks {
  private readonly options: ChannelOptions
  /** Delivers the events that wait, so that a bookmark does not overtake them. */
  private readonly deliver: () => void
  /** The watches that get each bookmark as an event. */
  private readonly prompt = new Set<Watcher>()
  private lateCount = 0
  private timer: Timer | undefined
  /** Whether clients may take bookmarks late. */
  canBeLate = false
  /** The number of rounds, and the revision that the last one told. */
  round = 0
  roundRevision = 0

  constructor(options: ChannelOptions, deliver: () => void) {
    this.options = options
    this.deliver = deliver
  }

  /** Adds a watch that wants bookmarks, when it begins or goes on in place. */
  add(watcher: Watcher): void {
    this.plan()
    if (watcher.late === undefined && this.canBeLate) {
      const late = new Untold(this, watcher)
      if (watcher.attachBookmarks(late)) {
        watcher.late = late
        this.lateCount++
      }
    }
    if (watcher.late === undefined) this.prompt.add(watcher)
    else watcher.late.round = this.round
  }

  /** Tells a watch what it does not know, and removes it. */
  delete(watcher: Watcher): void {
    this.prompt.delete(watcher)
    const { late } = watcher
    if (late === undefined) return
    late.settle()
    watcher.late = undefined
    this.lateCount--
  }

  /** Gives a watch each bookmark as an event from now on. */
  makePrompt(watcher: Watcher): void {
    this.delete(watcher)
    this.prompt.add(watcher)
  }

  /** Sends the last bookmark of a watch. */
  sendFinal(watcher: Watcher): void {
    this.deliver()
    if (watcher.startRevision >= this.options.revision()) return
    if (watcher.late === undefined) watcher.send([bookmarkEvent(this.options, false)])
    else watcher.late.finalRevision = this.options.revision()
  }

  /** Sends bookmarks in intervals for as long as a watch wants them. */
  private plan(): void {
    this.timer ??= this.options.timers.after(BOOKMARK_EVERY_MS, () => {
      this.timer = undefined
      if (this.prompt.size + this.lateCount === 0) return
      this.sendAll()
      this.plan()
    })
  }

  /**
   * Sends a bookmark to all watches that began at an older revision. It does not matter what has changed since: a watch
   * of a kind that rests stays young enough to be resumed, and its client sees that the connection lives.
   */
  private sendAll(): void {
    const watchers = [...this.prompt]
    this.deliver()
    this.round++
    this.roundRevision = this.options.revision()
    const batch = [bookmarkEvent(this.options, false)]
    for (const watcher of watchers) if (watcher.startRevision < this.roundRevision) watcher.send(batch)
  }
}

class Untold implements LateBookmarks {
  private readonly bookmarks: Bookmarks
  private readonly watcher: Watcher
  round = 0
  finalRevision = 0

  constructor(bookmarks: Bookmarks, watcher: Watcher) {
    this.bookmarks = bookmarks
    this.watcher = watcher
  }

  readonly settle = (): void => {
    const { bookmarks, watcher } = this
    let revision = this.finalRevision
    this.finalRevision = 0
    if (this.round !== bookmarks.round) {
      this.round = bookmarks.round
      if (watcher.startRevision < bookmarks.roundRevision) revision = Math.max(revision, bookmarks.roundRevision)
    }
    if (revision > 0) watcher.tellBookmark(String(revision))
  }

  readonly wake = (): void => {
    if (this.watcher.late === this) this.bookmarks.makePrompt(this.watcher)
  }
}
