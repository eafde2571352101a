import type { Timer, TimersShape } from "@rollcall/time"
import type { LogReader } from "./LogReader.ts"

/** The readers that are served without a pause in between. */
const READERS_PER_TURN = 100
/** That pause, in which others of the process have their turn. */
const PAUSE_MS = 4
/** How often it is looked whether readers that were full read on. */
const DRAIN_MS = 50

/** Serves the readers of a log: each gets all that it has room for, and many of them do so in turns. */
export class ReaderTurns {
  private readonly timers: TimersShape
  private readonly ended: (reader: LogReader) => void
  /** Those that have read everything, those that have no room, and those that are served next. */
  private readonly current = new Set<LogReader>()
  private readonly behind = new Set<LogReader>()
  private readonly due = new Set<LogReader>()
  /** Whether there is more for those that were current. */
  private hasMore = false
  private turn: Timer | undefined
  private drain: Timer | undefined
  private isServing = false

  constructor(timers: TimersShape, ended: (reader: LogReader) => void) {
    this.timers = timers
    this.ended = ended
  }

  add(reader: LogReader): void {
    this.due.add(reader)
    this.serve()
  }

  remove(reader: LogReader): void {
    for (const readers of [this.current, this.behind, this.due]) readers.delete(reader)
    if (this.behind.size === 0) this.drain = this.cancelled(this.drain)
    if (this.due.size === 0 && !this.hasMore) this.turn = this.cancelled(this.turn)
  }

  /** Serves those that have read everything: there is more. */
  more(): void {
    this.hasMore = true
    this.serve()
  }

  stop(): void {
    this.drain = this.cancelled(this.drain)
    this.turn = this.cancelled(this.turn)
    for (const readers of [this.current, this.behind, this.due]) readers.clear()
  }

  private serve(): void {
    if (this.turn !== undefined || this.isServing) return
    this.isServing = true
    let count = 0
    if (this.hasMore) this.moveToDue(this.current)
    this.hasMore = false
    for (const reader of this.due) {
      if (++count > READERS_PER_TURN) break
      this.due.delete(reader)
      this.serveOne(reader)
    }
    this.isServing = false
    if (this.due.size === 0 && !this.hasMore) return
    this.turn = this.timers.after(PAUSE_MS, () => {
      this.turn = undefined
      this.serve()
    })
  }

  private serveOne(reader: LogReader): void {
    const place = reader.send()
    if (place === "current") this.current.add(reader)
    else if (place === "done") this.ended(reader)
    else {
      this.behind.add(reader)
      this.drain ??= this.timers.after(DRAIN_MS, () => {
        this.drain = undefined
        this.moveToDue(this.behind)
        this.serve()
      })
    }
  }

  private moveToDue(readers: Set<LogReader>): void {
    for (const reader of readers) this.due.add(reader)
    readers.clear()
  }

  private cancelled(timer: Timer | undefined): undefined {
    if (timer !== undefined) this.timers.cancel(timer)
  }
}
