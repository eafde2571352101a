import { Timer } from "@rollcall/time"
import type { LinkState } from "./LinkWatch.ts"

/** A request as one side of a link sends it. */
export interface Exchanged<A> {
  readonly timeoutMs: number
  /** Called when the request has arrived. */
  readonly deliverRequest: (answer: (answer: A) => void) => void
  readonly reply: (answer: A) => void
  readonly timeoutAnswer: A
}

/**
 * One request and its answer over a link that is cut, slow or lossy. It is one object, which is also the timer of what it
 * waits for: a zone that is cut off sends a quarter of a million requests an hour, and each of them only times out.
 */
export class LinkExchange<A> extends Timer {
  private readonly link: LinkState
  private readonly exchanged: Exchanged<A>
  private readonly endsAt: number
  waitsSinceMs: number
  /** Whether packets of it were lost before it departs. */
  private isLost = false
  private isOver = false
  /** What its own timer waits for. */
  private awaits: "departure" | "answer" | "timeout" = "timeout"
  private answered: A
  /** The timer of its timeout. Nearly every request is sure to be answered in time, and needs none. */
  private timeout: Timer | undefined

  constructor(link: LinkState, exchanged: Exchanged<A>, sentAtMs = link.timers.now()) {
    super()
    this.link = link
    this.exchanged = exchanged
    this.answered = exchanged.timeoutAnswer
    this.waitsSinceMs = sentAtMs
    this.endsAt = sentAtMs + exchanged.timeoutMs
  }

  /** Sends the request, of which packets were lost for `lostMs`. */
  start(lostMs: number): void {
    const { latencyMs, timers } = this.link
    const delay = latencyMs / 2 + lostMs
    this.isLost = lostMs > 0
    if (delay >= this.exchanged.timeoutMs) this.limit()
    else if (delay > 0) {
      this.awaits = "departure"
      timers.plan(this, timers.now() + delay)
    } else this.depart()
  }

  /** Ends it: `reply` is not called any more. */
  readonly end = (): void => {
    this.isOver = true
    if (this.timeout !== undefined) this.link.timers.cancel(this.timeout)
    this.link.waiting?.delete(this)
  }

  fire(): void {
    if (this.awaits === "departure") {
      this.waitsSinceMs = this.link.timers.now()
      this.depart()
    } else this.settle(this.answered)
  }

  /** Delivers the request: it is on the way, or waited until the link recovered. */
  transmit(): void {
    this.link.waiting?.delete(this)
    let isAnswered = false
    try {
      this.exchanged.deliverRequest((answer) => {
        isAnswered = true
        this.return(answer)
      })
    } finally {
      if (!isAnswered) this.limit()
    }
  }

  private depart(): void {
    const { link } = this
    // A request that was cancelled on its way still arrives, unless it was lost: it is not sent again.
    if (this.isOver && (link.cut || this.isLost)) return
    if (link.cut) {
      this.limit()
      link.waiting ??= new Set()
      link.waiting.add(this)
    } else this.transmit()
  }

  /** Carries the answer back. */
  private return(answer: A): void {
    const { latencyMs, timers } = this.link
    if (timers.now() + latencyMs / 2 >= this.endsAt) this.limit()
    if (latencyMs === 0) this.settle(answer)
    else if (this.isPlanned) timers.after(latencyMs / 2, () => this.settle(answer))
    else {
      this.awaits = "answer"
      this.answered = answer
      timers.plan(this, timers.now() + latencyMs / 2)
    }
  }

  private settle(answer: A): void {
    if (this.isOver) return
    this.end()
    this.exchanged.reply(answer)
  }

  private limit(): void {
    if (this.isOver || this.timeout !== undefined) return
    const { endsAt, exchanged, link } = this
    if (this.isPlanned) {
      this.timeout = link.timers.at(endsAt, () => this.settle(exchanged.timeoutAnswer))
      return
    }
    this.awaits = "timeout"
    this.timeout = this
    link.timers.plan(this, endsAt)
  }
}
