import { HeaderEncoder, type SpdyHeaders } from "./headerBlocks.ts"
import { goAwayCodes, type OpenedStream, resetCodes, SpdyReader, spdyFrames } from "./spdyFrames.ts"

/*
 * The server's side of a connection with streams. Upstream: github.com/moby/spdystream/connection.go,
 * streaming/pkg/httpstream/spdy/connection.go.
 */

/** A client that opens more ends its connection: one port forwarded for 500 connections has a thousand. */
const MAX_STREAMS = 1024
const LARGEST_ID = 0x7fff_ffff

/** The control frames that are handled at a time: a new stream costs some ten microseconds and an answer. */
const CONTROLS_PER_TURN = 64

/** What carries the frames. */
export interface SpdyCarrier {
  readonly write: (bytes: Buffer) => void
  /** Closes once everything is sent. */
  readonly close: () => void
  /** Holds back what the client sends, and calls `act` after others had their turn. */
  readonly later: (act: () => void) => void
}

/** A stream that a client has opened. */
export interface SpdyStream {
  readonly id: number
  readonly headers: SpdyHeaders
  /** Sends data, unless this side is closed. */
  readonly write: (data: Uint8Array) => void
  /** Closes this side. */
  readonly end: () => void
  readonly reset: () => void
}

/** What becomes of a stream. */
export interface SpdyStreamHandlers {
  /** Called when the client has been told that the stream is open. */
  readonly opened: () => void
  readonly data: (data: Buffer) => void
  /** Called once: the client sends no more. It has closed its side, or has given the stream up. */
  readonly ended: (isReset: boolean) => void
}

export interface SpdySessionOptions {
  /** Returns the handlers of a new stream; undefined to refuse it. It must not write to the stream yet. */
  readonly accept: (stream: SpdyStream) => SpdyStreamHandlers | undefined
  /** Called once, before the streams that are open end with it. */
  readonly closed: () => void
}

class OpenStream implements SpdyStream {
  readonly id: number
  readonly headers: SpdyHeaders
  handlers: SpdyStreamHandlers | undefined = undefined
  /** Whether the client, and this side, may still send. */
  isReading = true
  isWriting: boolean
  private readonly send: (stream: OpenStream, frame: Buffer) => void

  constructor({ headers, id, isUnidirectional }: OpenedStream, send: (stream: OpenStream, frame: Buffer) => void) {
    this.id = id
    this.headers = headers
    this.isWriting = !isUnidirectional
    this.send = send
  }

  write(data: Uint8Array): void {
    if (this.isWriting && data.length > 0) this.send(this, spdyFrames.data(this.id, data))
  }

  end(): void {
    if (!this.isWriting) return
    this.isWriting = false
    this.send(this, spdyFrames.data(this.id, new Uint8Array(0), true))
  }

  reset(): void {
    if (!this.isWriting && !this.isReading) return
    this.isWriting = false
    this.isReading = false
    this.send(this, spdyFrames.reset(this.id, resetCodes.cancel))
  }

  /** The client sends no more. */
  finish(isReset: boolean): void {
    if (!this.isReading) return
    this.isReading = false
    this.handlers?.ended(isReset)
  }
}

/** The streams of one connection. What a client does wrong ends its connection only. */
export class SpdySession {
  private readonly carrier: SpdyCarrier
  private readonly options: SpdySessionOptions
  private readonly reader: SpdyReader
  private readonly encoder = new HeaderEncoder()
  private readonly streams = new Map<number, OpenStream>()
  /** What is read in the next turn. */
  private held: Array<Buffer> = []
  private nextId = 1
  private hasEnded = false
  private isOver = false

  constructor(carrier: SpdyCarrier, options: SpdySessionOptions) {
    this.carrier = carrier
    this.options = options
    this.reader = new SpdyReader({
      onStream: (stream) => this.open(stream),
      onReply: () => {},
      onData: (id, data, isLast) => this.receive(id, data, isLast),
      onReset: (id) => this.dropped(id),
      onPing: (id) => {
        // A ping of this side would have an even number.
        if (id % 2 === 1) this.write(spdyFrames.ping(id))
      },
      onGoAway: () => this.finish(),
      onFault: () => this.finish(goAwayCodes.protocolError)
    })
  }

  read(chunk: Buffer): void {
    if (this.held.length > 0) {
      this.held.push(chunk)
      return
    }
    const rest = this.reader.read(chunk, CONTROLS_PER_TURN)
    if (rest.length === 0) return
    this.held.push(rest)
    this.carrier.later(this.goOn)
  }

  /** Reads what was held back. */
  private readonly goOn = (): void => {
    const [first = Buffer.alloc(0), ...others] = this.held
    const held = others.length === 0 ? first : Buffer.concat(this.held)
    this.held = []
    if (!this.isOver && held.length > 0) this.read(held)
    if (this.hasEnded && this.held.length === 0) this.finish()
  }

  /** The client sends no more; what it has sent is still read. */
  end(): void {
    this.hasEnded = true
    if (this.held.length === 0) this.finish()
  }

  /** Ends the connection, once what was written is sent. */
  finish(code: number = goAwayCodes.ok): void {
    if (this.isOver) return
    this.write(spdyFrames.goAway(Math.max(0, this.nextId - 2), code))
    this.close()
    this.carrier.close()
  }

  /** The connection is over. */
  close(): void {
    if (this.isOver) return
    this.isOver = true
    this.reader.stop()
    this.options.closed()
    const open = [...this.streams.values()]
    this.streams.clear()
    for (const stream of open) {
      stream.isWriting = false
      stream.finish(true)
    }
  }

  private write(frame: Buffer): void {
    if (!this.isOver) this.carrier.write(frame)
  }

  private open(opened: OpenedStream) {
    const { id } = opened
    if (this.streams.size >= MAX_STREAMS) return this.finish(goAwayCodes.protocolError)
    if (id % 2 === 0 || id < this.nextId || id >= LARGEST_ID) {
      return this.write(spdyFrames.reset(id, resetCodes.protocolError))
    }
    this.nextId = id + 2
    const stream = new OpenStream(opened, (of, frame) => {
      this.write(frame)
      this.forget(of)
    })
    const handlers = this.options.accept(stream)
    if (handlers === undefined) return this.write(spdyFrames.reset(id, resetCodes.cancel))
    stream.handlers = handlers
    this.streams.set(id, stream)
    this.write(spdyFrames.reply(id, this.encoder.encode(new Map())))
    handlers.opened()
    if (opened.isLast) this.endReading(stream, false)
  }

  private receive(id: number, data: Buffer, isLast: boolean): void {
    const stream = this.streams.get(id)
    // Data of a stream that is closed may be on its way.
    if (stream?.isReading !== true) return
    if (data.length > 0) stream.handlers?.data(data)
    if (isLast) this.endReading(stream, false)
  }

  private dropped(id: number): void {
    const stream = this.streams.get(id)
    if (stream === undefined) return
    stream.isWriting = false
    this.endReading(stream, true)
  }

  private endReading(stream: OpenStream, isReset: boolean): void {
    stream.finish(isReset)
    this.forget(stream)
  }

  private forget(stream: OpenStream): void {
    if (!stream.isReading && !stream.isWriting) this.streams.delete(stream.id)
  }
}
