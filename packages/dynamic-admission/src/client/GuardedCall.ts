import { guarded, type TimersShape } from "@rollcall/time"

/** A value of a log line. */
type Fields = Readonly<Record<string, string>>

/**
 * A call of another server, whose parts run as its sockets say. It has one result. An error that a part throws is handed to
 * the timers, which log and count it, and ends this call only.
 */
export class GuardedCall<A> {
  private readonly timers: TimersShape
  private readonly source: string
  private readonly fields: Fields
  private readonly done: (result: A) => void
  private over = false

  constructor(timers: TimersShape, source: string, fields: Fields, done: (result: A) => void) {
    this.timers = timers
    this.source = source
    this.fields = fields
    this.done = done
  }

  get isOver(): boolean {
    return this.over
  }

  /** Ends the call with its result; later ones are ignored. */
  finish(result: A): void {
    if (this.over) return
    this.over = true
    guarded(this.timers, this.source, () => this.done(result), this.fields)
  }

  /** Runs a part of the call unless it is over. `failed` makes the result if it throws. */
  run(part: () => void, failed: () => A): void {
    if (this.over || guarded(this.timers, this.source, part, this.fields)) return
    this.finish(failed())
  }
}
