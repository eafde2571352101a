import { performance } from "node:perf_hooks"
import { setImmediate } from "node:timers"
import { guarded, type TimersShape } from "@rollcall/time"
import type { HttpResponse } from "./HttpPort.ts"

/** A watch or a large answer with data to send. */
export interface Sender {
  /** Produces and writes the next data; called in a round. */
  readonly flush: () => void
  /** The bytes that the last flush wrote, if they are counted. */
  readonly flushedBytes?: number
}

export interface OutboxOptions {
  /** The maximum length of a round: the remaining senders are served in the next one. */
  readonly roundMs: number
  /** The pause after a round, as a multiple of its duration. */
  readonly restFactor: number
  /** Only rounds longer than this are followed by a pause. Default 0. */
  readonly restAfterMs?: number
  /** A short round of at most so many senders with little data ends at once, whatever else goes on. Default 0. */
  readonly few?: number
  /** In place of `restFactor` while other requests leave most of the time between two rounds unused. */
  readonly idle?: {
    readonly restFactor: number
    /** Returns for how long the event loop has waited for something to do since its start. */
    readonly waitedMs: () => number
  }
}

/**
 * A round of few senders is short if its own work took at most this long, by a clock that runs on while other processes
 * have the CPU: its data are bounded, too.
 */
const SHORT_MS = 10
/** Little data: some events, and no list. */
const LITTLE_BYTES = 64 * 1024

const flushedLittle = ({ flushedBytes = 0 }: Sender): boolean => flushedBytes <= LITTLE_BYTES

/** The longest pause after a round. */
const MAX_REST_MS = 10
/**
 * With many watches, two thirds of the time are for other requests, or half if they do not use it: a shorter rest would make more,
 * smaller writes of the same events. The events of few are not held back by other
 * requests: a controller whose writes are answered before it sees their events works with stale objects.
 */
const WATCH_ROUNDS: OutboxOptions = {
  roundMs: 20,
  restFactor: 2,
  few: 16,
  idle: { restFactor: 1, waitedMs: () => performance.nodeTiming.idleTime }
}

/**
 * Lets senders send in rounds: watches, which by then have gathered events (the default options are theirs), and large
 * answers. A few watches get an event at once. When a round takes long
 * because there are many watches, the next one waits, and each watch then has several events in one write: this spends
 * far less on encryption and system calls, and lets other requests run. A round is limited, too, because a new watch is
 * sent a list.
 */
export class Outbox {
  private readonly timers: TimersShape
  private readonly options: OutboxOptions
  private waiting: Array<Sender> = []
  private restUntilMs = 0
  private isSending = false
  /** When the last round ended that was followed by a pause, and for how long the event loop had waited until then. */
  private lastEndMs = 0
  private waitedMs = 0

  constructor(timers: TimersShape, options: OutboxOptions = WATCH_ROUNDS) {
    this.timers = timers
    this.options = options
  }

  /** Flushes the sender in the next round. Must be called once for each round. */
  add(sender: Sender): void {
    if (this.waiting.push(sender) === 1 && !this.isSending) this.plan()
  }

  /**
   * Calls a function when the events of what has just been written are on their way to few watches: a controller that
   * sees the answer to its write first would work with the state before it. While few watches wait for a pause to end,
   * the function waits with them, behind their events.
   */
  afterEvents(act: () => void): void {
    const { few = 0 } = this.options
    // The first turn is that of the channel, which hands events to watches; the second is that of the round.
    this.timers.soon(() => {
      const waiting = this.waiting.length
      const isPaused = this.isSending || this.restUntilMs > this.timers.now()
      if (isPaused && waiting > 0 && waiting <= few) this.add({ flush: act })
      else this.timers.soon(act)
    })
  }

  private plan(): void {
    const restMs = this.restUntilMs - this.timers.now()
    if (restMs > 0) this.timers.after(restMs, this.round)
    else this.timers.soon(this.round)
  }

  private readonly round = (): void => {
    const { timers, waiting } = this
    const { few = 0, restAfterMs = 0, roundMs } = this.options
    this.waiting = []
    this.isSending = true
    const startMs = timers.now()
    let sent = 0
    while (sent < waiting.length && timers.now() - startMs < roundMs) {
      const { flush } = waiting[sent++] as Sender
      guarded(timers, "watch stream", flush)
    }
    if (sent < waiting.length) this.waiting = [...waiting.slice(sent), ...this.waiting]
    if (sent <= few && timers.now() - startMs <= SHORT_MS && waiting.slice(0, sent).every(flushedLittle)) {
      this.isSending = false
      if (this.waiting.length > 0) this.plan()
      return
    }
    // Node writes to sockets after this callback has ended: the duration of the round is known only then.
    setImmediate(() => {
      const endMs = timers.now()
      const spentMs = endMs - startMs
      const restFactor = this.restFactorAfter(startMs, endMs)
      this.restUntilMs = spentMs > restAfterMs ? endMs + Math.min(restFactor * spentMs, MAX_REST_MS) : endMs
      this.isSending = false
      if (this.waiting.length > 0) this.plan()
    })
  }

  private restFactorAfter(startMs: number, endMs: number): number {
    const { idle, restFactor } = this.options
    if (idle === undefined) return restFactor
    const waitedMs = idle.waitedMs()
    const isIdle = waitedMs - this.waitedMs > (startMs - this.lastEndMs) / 2
    this.waitedMs = waitedMs
    this.lastEndMs = endMs
    return isIdle ? idle.restFactor : restFactor
  }
}

/**
 * The maximum size of one write: a slow client is then seen to read, and node buffers no more than this of an answer.
 * A string of more than 128 KiB is a page of memory of its own in V8, which takes twice the time.
 */
export const PIECE_BYTES = 96 * 1024

/** Ends a response with a large body, in pieces as the client reads; `onWrite` is called with the size of each. */
export const endInPieces = (response: HttpResponse, body: Buffer, onWrite: (bytes: number) => void): void => {
  let at = 0
  const writeMore = () => {
    if (response.destroyed) return
    while (at < body.length) {
      const piece = body.subarray(at, at + PIECE_BYTES)
      at += piece.length
      onWrite(piece.length)
      if (at === body.length) response.end(piece)
      else if (response.write(piece) === false) return
    }
  }
  response.on("drain", writeMore)
  writeMore()
}
