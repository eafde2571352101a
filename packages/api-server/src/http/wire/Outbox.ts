import { setImmediate } from "node:timers"
import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpResponse } from "./HttpPort.ts"

/** Somebody who has something to send. */
export interface Sender {
  readonly flush: () => void
}

export interface OutboxOptions {
  /** A round that has lasted so long ends: who is left has the next one. */
  readonly roundMs: number
  /** After a round, so many times its duration is left to everything else. */
  readonly rest: number
  /** But only after a round that has lasted for longer. Default 0. */
  readonly restAfterMs?: number
}

const MAX_REST_MS = 10
const watches: OutboxOptions = { roundMs: 20, rest: 2 }

/**
 * Sends what watches have gathered, all of them in one round. A few watches hear of an event at once; where a round takes long,
 * because many watch, the next one waits, and each has several events in one piece then: of the same work far less is spent on
 * encryption and system calls, and requests get their turn. A round is bounded, too: who begins to watch is sent a list.
 */
export class Outbox {
  private readonly timers: TimersShape
  private readonly options: OutboxOptions
  private waiting: Array<Sender> = []
  private restUntilMs = 0
  private sending = false

  constructor(timers: TimersShape, options: OutboxOptions = watches) {
    this.timers = timers
    this.options = options
  }

  /** Has `sender` flushed in the next round; to be called once for a round. */
  add(sender: Sender): void {
    if (this.waiting.push(sender) === 1 && !this.sending) this.plan()
  }

  private plan(): void {
    const restMs = this.restUntilMs - this.timers.now()
    if (restMs > 0) this.timers.after(restMs, this.round)
    else this.timers.soon(this.round)
  }

  private readonly round = (): void => {
    const { timers, waiting } = this
    const { rest, restAfterMs = 0, roundMs } = this.options
    this.waiting = []
    this.sending = true
    const startMs = timers.now()
    let sent = 0
    while (sent < waiting.length && timers.now() - startMs < roundMs) {
      const { flush } = waiting[sent++] as Sender
      guarded(timers, "watch stream", flush)
    }
    if (sent < waiting.length) this.waiting = [...waiting.slice(sent), ...this.waiting]
    // Node writes to sockets behind our back, when this callback has ended: only then is it known how long it took.
    setImmediate(() => {
      const endMs = timers.now()
      const spentMs = endMs - startMs
      this.restUntilMs = spentMs > restAfterMs ? endMs + Math.min(rest * spentMs, MAX_REST_MS) : endMs
      this.sending = false
      if (this.waiting.length > 0) this.plan()
    })
  }
}

/** What is handed to a response at once: a client that reads slowly is seen to read, and node holds no more than this of an answer. */
export const PIECE_BYTES = 256 * 1024

/** Ends a response with a large body, in pieces as the client reads; `handed` is told of each. */
export const pump = (response: HttpResponse, body: Buffer, handed: (bytes: number) => void): void => {
  let at = 0
  const more = () => {
    if (response.destroyed) return
    while (at < body.length) {
      const piece = body.subarray(at, at + PIECE_BYTES)
      at += piece.length
      handed(piece.length)
      if (at === body.length) response.end(piece)
      else if (response.write(piece) === false) return
    }
  }
  response.on("drain", more)
  more()
}
