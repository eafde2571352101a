import type { LateBookmark } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import type { ChannelOptions } from "./ChannelOptions.ts"
import type { WatchColumns } from "./WatchColumns.ts"
import type { Watcher } from "./Watchers.ts"
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
  /** Has what clients that take bookmarks late have not been told. */
  columns: WatchColumns<Watcher> | undefined
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
    const { columns } = this
    const { row } = watcher
    if (columns === undefined || row < 0) {
      this.prompt.add(watcher)
      return
    }
    if (watcher.late === undefined) {
      const late: LateBookmark = {
        settle: () => {
          if (watcher.late === late) this.settle(watcher, columns)
        },
        wake: () => {
          if (watcher.late === late) this.makePrompt(watcher)
        }
      }
      if (!watcher.attachBookmarks(late)) {
        this.prompt.add(watcher)
        return
      }
      watcher.late = late
      this.prompt.delete(watcher)
      this.lateCount++
      columns.isLate[row] = 1
    }
    columns.round[row] = this.round
    columns.startRevision[row] = watcher.startRevision
  }

  /**
   * Notes that the client of a watch has seen `startRevision` and nothing since: the next renewal need not ask it, unless
   * it has a place among others that see the same.
   */
  know(watcher: Watcher): void {
    const { renewals, row } = watcher
    if (this.columns === undefined || watcher.late === undefined || renewals === undefined || !watcher.isAlone) return
    this.columns.know(row, renewals)
  }

  /** Returns the revision of the last bookmark that a late watch has not been told; 0 if there is none. */
  untold(row: number): number {
    const { finalRevision, round, startRevision } = this.columns as WatchColumns<Watcher>
    const isTold = round[row] === this.round || (startRevision[row] as number) >= this.roundRevision
    return Math.max(finalRevision[row] as number, isTold ? 0 : this.roundRevision)
  }

  /** Tells a late watch its last renewal and bookmark. */
  private settle(watcher: Watcher, columns: WatchColumns<Watcher>): void {
    const { row } = watcher
    columns.isKnown[row] = 0
    const revision = this.untold(row)
    columns.finalRevision[row] = 0
    columns.round[row] = this.round
    if (columns.renewedMs[row] !== 0) {
      const atMs = columns.renewedMs[row] as number
      columns.renewedMs[row] = 0
      watcher.wasRenewed(atMs, columns)
    }
    if (revision > 0) watcher.tellBookmark(String(revision))
  }

  /** Tells a watch what it does not know, and removes it. */
  delete(watcher: Watcher): void {
    this.prompt.delete(watcher)
    const { late } = watcher
    if (late === undefined) return
    late.settle()
    watcher.late = undefined
    if (this.columns !== undefined) this.columns.isLate[watcher.row] = 0
    this.lateCount--
  }

  /** Gives a watch each bookmark as an event from now on. */
  private makePrompt(watcher: Watcher): void {
    this.delete(watcher)
    this.prompt.add(watcher)
  }

  /** Sends the last bookmark of a watch that gets each as an event. */
  readonly sendFinal = (watcher: Watcher): void => {
    this.deliver()
    if (watcher.startRevision < this.options.revision()) watcher.send([bookmarkEvent(this.options, false)])
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
