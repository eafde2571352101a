import { internalError } from "@rollcall/api"
import type { ClusterError, WatchEvent } from "@rollcall/cluster"
import type { Call } from "./Call.ts"
import type { EventEncoder, EventShape, StreamEncoding } from "./encodeEvent.ts"
import { mediaTypeOf } from "./mediaTypes.ts"
import type { Outbox } from "./Outbox.ts"
import { PIECE_BYTES } from "./pump.ts"
import { connectionOf, type Held } from "./Unsent.ts"

/** Encoded events that may wait for a client that does not read. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024
/** Events that may wait to be encoded, beyond those that the watch began with. */
const MAX_PENDING = 10_000
/** A batch of more is encoded as the client reads. */
const LARGE_BATCH = 100
const NOTHING: ReadonlyArray<WatchEvent> = []

export interface StreamShape extends EventShape {
  readonly encoding: StreamEncoding
}

interface StreamParts {
  readonly shape: StreamShape
  readonly encoder: EventEncoder
  readonly outbox: Outbox
  /** The stream is over; `isCut`: because its client did not read. */
  readonly gone: (isCut: boolean) => void
}

/**
 * One watch on its connection. Events are encoded as they come, for all who watch; a large batch, as a watch begins with, is encoded
 * as the client reads it.
 */
export class WatchStream {
  private readonly call: Call
  private readonly parts: StreamParts
  /** What the next round sends, and after that. */
  private frames: Array<Buffer> = []
  private waitingBytes = 0
  /** Behind the frames: events from `next` on are yet to be encoded. */
  private pending: ReadonlyArray<WatchEvent> = NOTHING
  private next = 0
  private allowed = MAX_PENDING
  private queued = false
  private held: Held | undefined
  private stop: () => void = () => {}
  private begun = false
  private active = true

  constructor(call: Call, parts: StreamParts) {
    this.call = call
    this.parts = parts
  }

  open(stop: () => void): void {
    this.stop = stop
    const { response } = this.call
    response.statusCode = 200
    response.setHeader("Cache-Control", "no-cache, private")
    const { encoding } = this.parts.shape
    response.setHeader("Content-Type", encoding === "json" ? mediaTypeOf.json : `${mediaTypeOf[encoding]};stream=watch`)
    response.flushHeaders()
    response.on("close", () => this.call.guard(() => this.close(false)))
    response.on("drain", () => this.call.guard(this.drained))
    this.call.done(200)
  }

  readonly events = (batch: ReadonlyArray<WatchEvent>) => {
    if (!this.active || batch.length === 0) return
    if (this.isOverdrawn()) return this.cut()
    if (this.next < this.pending.length) this.pending = [...this.pending.slice(this.next), ...batch]
    else if (batch.length > LARGE_BATCH) {
      this.pending = batch
      this.allowed = batch.length + MAX_PENDING
    } else {
      for (const event of batch) {
        const frame = this.parts.encoder.frame(event, this.parts.shape, this.parts.shape.encoding, !this.begun)
        this.begun = true
        this.frames.push(frame)
        this.waitingBytes += frame.length
      }
      this.count()
      return this.wake()
    }
    this.next = 0
    this.wake()
  }

  readonly flush = () => {
    this.queued = false
    if (!this.active || this.held !== undefined) return
    const { response } = this.call
    const ready = this.take(PIECE_BYTES - response.writableLength)
    const bytes = ready.length === 1 ? (ready[0] as Buffer) : Buffer.concat(ready)
    const isRead = bytes.length === 0 || response.write(bytes) !== false
    if (isRead) {
      if (this.hasMore()) this.wake()
    } else {
      // Its own client is waited for, and nobody else's.
      this.held = this.call.unsent.hold(
        connectionOf(this.call.request),
        this.call.identity.user,
        response,
        bytes.length
      )
      this.held.written = response.writableLength
      this.count()
    }
  }

  readonly end = (error: ClusterError | undefined) => {
    if (!this.active) return
    const { response } = this.call
    // What a client has not read by now it will ask for again.
    if (this.held === undefined && this.frames.length > 0) response.write(Buffer.concat(this.frames))
    const isWhole = this.held === undefined && this.next === this.pending.length
    this.close(false)
    if (error === undefined) return void response.end()
    const { encoder, shape } = this.parts
    const status = error._tag === "ApiError" ? error.status : internalError(error.message)
    response.end(encoder.once({ type: "ERROR", object: status }, shape, shape.encoding, isWhole && !this.begun))
  }

  private wake(): void {
    if (this.queued || this.held !== undefined) return
    this.queued = true
    this.parts.outbox.add(this)
  }

  private readonly drained = (): void => {
    if (this.held === undefined) return
    this.call.unsent.release(this.held)
    this.held = undefined
    if (this.active && this.hasMore()) this.wake()
  }

  private hasMore(): boolean {
    return this.frames.length > 0 || this.next < this.pending.length
  }

  /** The next frames, of so many bytes or a little more; at least one. */
  private take(bytes: number): ReadonlyArray<Buffer> {
    if (this.waitingBytes <= bytes && this.next === this.pending.length) {
      const all = this.frames
      this.frames = []
      this.waitingBytes = 0
      return all
    }
    const taken: Array<Buffer> = []
    let size = 0
    let index = 0
    for (; index < this.frames.length && (size < bytes || index === 0); index++) {
      const frame = this.frames[index] as Buffer
      taken.push(frame)
      size += frame.length
    }
    this.frames = this.frames.slice(index)
    this.waitingBytes -= size
    if (this.frames.length > 0) return taken
    const { encoder, shape } = this.parts
    while (this.next < this.pending.length && (size < bytes || taken.length === 0)) {
      const frame = encoder.once(this.pending[this.next++] as WatchEvent, shape, shape.encoding, !this.begun)
      this.begun = true
      taken.push(frame)
      size += frame.length
    }
    if (this.next === this.pending.length) {
      this.pending = NOTHING
      this.next = 0
      this.allowed = MAX_PENDING
    }
    return taken
  }

  /** What waits for a client that does not read is bounded: for this watch, its connection and its user. */
  private isOverdrawn(): boolean {
    if (this.waitingBytes > MAX_UNSENT_BYTES || this.pending.length - this.next > this.allowed) return true
    const { request, unsent } = this.call
    return this.held !== undefined && !unsent.mayProduce(connectionOf(request), this.call.identity.user)
  }

  private count(): void {
    if (this.held === undefined) return
    this.call.unsent.resize(this.held, this.call.response.writableLength + this.waitingBytes)
  }

  private cut(): void {
    this.close(true)
    this.call.response.destroy()
  }

  private close(isCut: boolean): void {
    if (!this.active) return
    this.active = false
    this.frames = []
    this.waitingBytes = 0
    this.pending = NOTHING
    this.next = 0
    if (this.held !== undefined) this.call.unsent.release(this.held)
    this.held = undefined
    this.stop()
    this.parts.gone(isCut)
  }
}
