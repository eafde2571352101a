import type { TimersShape } from "@rollcall/time"
import * as DateTime from "effect/DateTime"

const SECOND_MS = 1000

/** The Date header of answers, which is made once a second. */
export class DateLine {
  private readonly timers: TimersShape
  private line: string | undefined

  constructor(timers: TimersShape) {
    this.timers = timers
  }

  readonly text = (): string => this.line ?? this.make()

  private make(): string {
    const nowMs = this.timers.now()
    const line = `Date: ${DateTime.toDate(DateTime.makeUnsafe(nowMs)).toUTCString()}\r\n`
    this.line = line
    this.timers.after(SECOND_MS - (nowMs % SECOND_MS), () => {
      this.line = undefined
    })
    return line
  }
}
