import { internalError } from "@rollcall/api"
import type { ClusterError, WatchEvent } from "@rollcall/cluster"
import type { Call } from "../call/Call.ts"
import { connectionOf } from "../wire/Connections.ts"
import { PIECE_BYTES } from "../wire/Outbox.ts"
import type { UnsentEntry } from "../wire/Unsent.ts"
import type { StreamParts } from "./StreamParts.ts"

/** Taken entries are removed from the array once there are this many of them and they are half of it. */
const MIN_TRIMMED = 1024

/** The unsent data of one client, oldest first: frames, and events that are encoded when they are sent. */
export class WatchBacklog {
  private items: Array<WatchEvent | Buffer | undefined> = []
  /** The index of the oldest entry that has not been taken. */
  private next = 0
  private frameBytes = 0
  private frameCount = 0
  /** The size of the next frame, once it is known. */
  private headBytes: number | undefined

  get isEmpty(): boolean {
    return this.next === this.items.length
  }

  /** The size of the frames. */
  get bytes(): number {
    return this.frameBytes
  }

  /** The number of events that are not encoded. */
  get events(): number {
    return this.items.length - this.next - this.frameCount
  }

  addEvents(batch: ReadonlyArray<WatchEvent>): void {
    for (const event of batch) this.items.push(event)
  }

  addFrame(frame: Buffer): void {
    this.items.push(frame)
    this.frameCount++
    this.frameBytes += frame.length
  }

  /** Returns the next frames, of about this many bytes; at least one, if anything waits. */
  take(bytes: number, encode: (event: WatchEvent) => Buffer): Array<Buffer> {
    const taken: Array<Buffer> = []
    this.headBytes = undefined
    let size = 0
    while (!this.isEmpty && (size < bytes || taken.length === 0)) {
      const item = this.items[this.next] as WatchEvent | Buffer
      // Cleared so that sent items can be garbage-collected.
      this.items[this.next++] = undefined
      const frame = this.frameOf(item, encode)
      taken.push(frame)
      size += frame.length
    }
    this.trim()
    return taken
  }

  /**
   * Returns the size of the next frame; 0 if nothing waits. Only the size is kept: a waiting event costs no additional
   * memory.
   */
  nextBytes(encode: (event: WatchEvent) => Buffer): number {
    const item = this.items[this.next]
    if (item === undefined) return 0
    this.headBytes ??= Buffer.isBuffer(item) ? item.length : encode(item).length
    return this.headBytes
  }

  clear(): void {
    this.items = []
    this.next = 0
    this.frameBytes = 0
    this.frameCount = 0
    this.headBytes = undefined
  }

  private frameOf(item: WatchEvent | Buffer, encode: (event: WatchEvent) => Buffer): Buffer {
    if (!Buffer.isBuffer(item)) return encode(item)
    this.frameCount--
    this.frameBytes -= item.length
    return item
  }

  private trim(): void {
    if (this.isEmpty) this.clear()
    else if (this.next >= MIN_TRIMMED && this.next * 2 >= this.items.length) {
      this.items = this.items.slice(this.next)
      this.next = 0
    }
  }
}

/** The maximum size of encoded events for a client that does not read. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024
/** Events up to this size are sent even when nothing else is produced for the user. */
const SMALL_BYTES = 16 * 1024
/** The maximum number of events waiting to be encoded, besides those that the watch started with. */
const MAX_PENDING = 10_000
/** The memory of a waiting event besides its object, which is shared. */
const EVENT_BYTES = 64

/**
 * One watch on its connection. Events are encoded as the client reads, a piece at a time; events that arrive while it
 * does not read are encoded at once, for all watchers, so that the amount of unsent data is known. Nothing is produced
 * for a user with too much unread data.
 */
export class WatchStream {
  private readonly call: Call
  private readonly parts: StreamParts
  private readonly backlog = new WatchBacklog()
  /** How many events may wait now: more for a watch that starts with many. */
  private maxEvents = MAX_PENDING
  private isQueued = false
  /** Present while the client has unread data, or its user has too much of it: then nothing is written. */
  private unsentEntry: UnsentEntry | undefined
  private stop: () => void = () => {}
  /** Whether its first event has been encoded: that of a table has the column definitions. */
  private hasEncoded = false
  private isActive = true
  private hasSentList = false
  /** Read by the outbox. */
  flushedBytes = 0

  constructor(call: Call, parts: StreamParts) {
    this.call = call
    this.parts = parts
  }

  /** Begins to send. `stop` ends the watch in the server. */
  open(stop: () => void): void {
    this.stop = stop
    const { response } = this.parts.channel
    response.on("close", () => this.call.guard(() => this.close(false)))
    response.on("drain", () => this.call.guard(this.resume))
  }

  /** Receives events of the watch. */
  readonly events = (batch: ReadonlyArray<WatchEvent>) => {
    if (!this.isActive || batch.length === 0) return
    if (this.parts.shape.endsWatch === true) return this.end(undefined)
    if (this.exceedsLimit()) return this.disconnect()
    const { backlog, unsentEntry } = this
    if (unsentEntry === undefined) {
      if (backlog.isEmpty) this.maxEvents = batch.length + MAX_PENDING
      backlog.addEvents(batch)
      this.queue()
      return
    }
    for (const event of batch) {
      backlog.addFrame(this.frameOf(event, false))
      if (backlog.bytes > MAX_UNSENT_BYTES) return this.disconnect()
    }
    this.countUnsent(unsentEntry)
  }

  /** Called by the Outbox when the stream may send. */
  readonly flush = () => {
    this.isQueued = false
    try {
      this.send()
    } catch (error) {
      const failure = this.parts.onError(error)
      this.backlog.clear()
      this.end(failure)
    }
  }

  /** Ends the watch, with an ERROR event if there is an error. */
  readonly end = (error: ClusterError | undefined) => {
    if (!this.isActive) return
    const { framed, response } = this.parts.channel
    // The client resumes from the last event that it read, and requests the rest again.
    if (this.unsentEntry === undefined && !this.backlog.isEmpty) {
      const rest = Buffer.concat(this.take(PIECE_BYTES))
      this.call.sentBytes += rest.length
      response.write(rest)
    }
    const isFirst = this.unsentEntry === undefined && this.backlog.isEmpty
    this.close(false)
    if (error === undefined) return void response.end()
    const { encoder, shape } = this.parts
    const status = error._tag === "ApiError" ? error.status : internalError(error.message)
    const event = { type: "ERROR", object: status } as const
    const frame = encoder.frameForOne(event, shape, shape.encoding, isFirst && !this.hasEncoded)
    response.end(framed === undefined ? frame : framed(frame))
  }

  private queue(): void {
    if (this.isQueued || this.unsentEntry !== undefined) return
    this.isQueued = true
    this.parts.outbox.add(this)
  }

  private send(): void {
    this.flushedBytes = 0
    if (!this.isActive || this.unsentEntry !== undefined) return
    const { identity, request, unsent } = this.call
    const { response } = this.parts.channel
    const connection = connectionOf(request)
    const mayProduce = unsent.mayProduce(connection, identity.user)
    // A watch whose client reads still gets small events, whatever its user's other watches do.
    if (!mayProduce && !(this.hasEncoded && this.backlog.nextBytes(this.encodeNext) <= SMALL_BYTES)) {
      this.unsentEntry = unsent.register(connection, identity.user, response, 0)
      unsent.whenMayProduce(this.unsentEntry, () => this.call.guard(this.resume))
      return
    }
    const ready = this.take(mayProduce ? PIECE_BYTES - response.writableLength : SMALL_BYTES)
    const bytes = this.parts.encoder.joined(ready)
    this.call.sentBytes += bytes.length
    this.flushedBytes = bytes.length
    const isRead = bytes.length === 0 || response.write(bytes) !== false
    if (isRead) {
      if (!this.backlog.isEmpty) this.queue()
      return
    }
    // Waits only for its own client.
    this.unsentEntry = unsent.register(connection, identity.user, response, bytes.length)
    this.unsentEntry.written = response.writableLength
    this.countUnsent(this.unsentEntry)
  }

  private readonly resume = (): void => {
    if (this.unsentEntry === undefined) return
    this.call.unsent.release(this.unsentEntry)
    this.unsentEntry = undefined
    if (this.isActive && !this.backlog.isEmpty) this.queue()
  }

  private take(bytes: number): Array<Buffer> {
    const frames = this.backlog.take(bytes, this.encodeNext)
    const { count, sizes } = this.parts.sent
    count.add(frames.length)
    for (const { length } of frames) sizes.observe(length)
    const { framed } = this.parts.channel
    return framed === undefined ? frames : frames.map(framed)
  }

  private readonly encodeNext = (event: WatchEvent): Buffer => {
    const frame = this.frameOf(event, !this.hasEncoded)
    this.hasEncoded = true
    return frame
  }

  private frameOf(event: WatchEvent, first: boolean): Buffer {
    const { encoder, onListSent, shape } = this.parts
    const frame = encoder.frame(event, shape, shape.encoding, first)
    // The first bookmark of a watch that begins with a list ends it.
    if (onListSent !== undefined && event.type === "BOOKMARK" && !this.hasSentList) {
      this.hasSentList = true
      onListSent()
    }
    return frame
  }

  /** Whether the unsent data exceeds a limit: of this watch, its connection or its user. */
  private exceedsLimit(): boolean {
    if (this.backlog.events > this.maxEvents) return true
    const { identity, request, unsent } = this.call
    return this.unsentEntry !== undefined && !unsent.mayProduce(connectionOf(request), identity.user)
  }

  private countUnsent(entry: UnsentEntry): void {
    const { bytes, events } = this.backlog
    this.call.unsent.resize(entry, this.parts.channel.response.writableLength + bytes + events * EVENT_BYTES)
  }

  private disconnect(): void {
    this.close(true)
    this.parts.channel.response.destroy()
  }

  private close(isDisconnected: boolean): void {
    if (!this.isActive) return
    this.isActive = false
    this.backlog.clear()
    if (this.unsentEntry !== undefined) this.call.unsent.release(this.unsentEntry)
    this.unsentEntry = undefined
    this.stop()
    this.parts.onEnd(isDisconnected)
  }
}
