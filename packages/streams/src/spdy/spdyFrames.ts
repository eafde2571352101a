import { HeaderDecoder, HeaderFault, type SpdyHeaders } from "./headerBlocks.ts"

/*
 * Frames of SPDY/3.1 as Kubernetes' clients write and read them. Specification: SPDY Protocol, draft 3.1, 2.2 and 2.6.
 * Upstream: github.com/moby/spdystream/spdy/{read,write}.go.
 */

const HEAD_BYTES = 8
const CONTROL = 0x80
const VERSION = 3
const STREAM_ID = 0x7fff_ffff
const MAX_DATA_BYTES = 0xff_ffff
/** A longer control frame ends the connection. */
const MAX_CONTROL_BYTES = 16 * 1024

const types = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  window: 9
} as const
const FIN = 1
const UNIDIRECTIONAL = 2

export const resetCodes = { protocolError: 1, cancel: 5 } as const
export const goAwayCodes = { ok: 0, protocolError: 1 } as const

const control = (type: number, flags: number, payload: Buffer): Buffer => {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length)
  frame.writeUInt16BE((CONTROL << 8) | VERSION)
  frame.writeUInt16BE(type, 2)
  frame.writeUInt32BE(payload.length, 4)
  frame[4] = flags
  payload.copy(frame, HEAD_BYTES)
  return frame
}

const integers = (...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.allocUnsafe(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

const dataFrame = (stream: number, data: Uint8Array, isLast: boolean): Buffer => {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + data.length)
  frame.writeUInt32BE(stream)
  frame.writeUInt32BE(data.length, 4)
  frame[4] = isLast ? FIN : 0
  frame.set(data, HEAD_BYTES)
  return frame
}

/** What is written to a peer; blocks of headers are compressed before. */
export const spdyFrames = {
  /** Opens a stream: Kubernetes' servers open none. */
  open: (stream: number, block: Buffer, isLast = false): Buffer =>
    control(types.synStream, isLast ? FIN : 0, Buffer.concat([integers(stream, 0), Buffer.of(0, 0), block])),
  reply: (stream: number, block: Buffer): Buffer =>
    control(types.synReply, 0, Buffer.concat([integers(stream), block])),
  reset: (stream: number, code: number): Buffer => control(types.rstStream, 0, integers(stream, code)),
  ping: (id: number): Buffer => control(types.ping, 0, integers(id)),
  goAway: (lastStream: number, code: number): Buffer => control(types.goAway, 0, integers(lastStream, code)),
  /** Returns data, in more than one frame if it is longer than a frame can be. */
  data: (stream: number, data: Uint8Array, isLast = false): Buffer => {
    const frames: Array<Buffer> = []
    let at = 0
    do {
      const piece = data.subarray(at, at + MAX_DATA_BYTES)
      at += piece.length
      frames.push(dataFrame(stream, piece, isLast && at === data.length))
    } while (at < data.length)
    return Buffer.concat(frames)
  }
}

/** A stream that a peer opens. */
export interface OpenedStream {
  readonly id: number
  readonly headers: SpdyHeaders
  /** Whether the peer sends no data. */
  readonly isLast: boolean
  /** Whether the peer reads no data. */
  readonly isUnidirectional: boolean
}

/** What a peer's frames ask for. */
export interface SpdyHandlers {
  readonly onStream: (stream: OpenedStream) => void
  readonly onReply: (stream: number) => void
  /** Receives data as it arrives; a frame may come in pieces, the last of which ends the stream if the frame does. */
  readonly onData: (stream: number, data: Buffer, isLast: boolean) => void
  readonly onReset: (stream: number) => void
  readonly onPing: (id: number) => void
  readonly onGoAway: () => void
  /** Called once, with what is wrong with a frame; nothing is read after it. */
  readonly onFault: (problem: string) => void
}

interface FrameHead {
  readonly isControl: boolean
  /** Of a control frame the type, of another one the stream. */
  readonly subject: number
  readonly flags: number
  readonly length: number
}

const headOf = (bytes: Buffer): FrameHead | string => {
  const first = bytes.readUInt32BE(0)
  const flags = bytes[4] as number
  const length = bytes.readUIntBE(5, 3)
  if (((bytes[0] as number) & CONTROL) === 0) {
    return first === 0 ? "data of stream 0" : { isControl: false, subject: first, flags, length }
  }
  if (bytes.readUInt16BE(0) !== ((CONTROL << 8) | VERSION)) return "a frame of another version"
  if (length > MAX_CONTROL_BYTES) return `a control frame of ${length} bytes`
  return { isControl: true, subject: bytes.readUInt16BE(2), flags, length }
}

/** The length of the part of a control frame before its headers, or of all of it. */
const fixedBytes: Readonly<Record<number, number>> = {
  [types.synStream]: 10,
  [types.synReply]: 4,
  [types.rstStream]: 8,
  [types.settings]: 4,
  [types.ping]: 4,
  [types.goAway]: 8,
  [types.headers]: 4,
  [types.window]: 8
}

/** Reads the frames of a peer. Data is handed over as it arrives; of a control frame at most 16 KiB are gathered. */
export class SpdyReader {
  private readonly handlers: SpdyHandlers
  private readonly decoder = new HeaderDecoder()
  /** The part of a head, or of a control frame, that has arrived. */
  private gathered: Buffer = Buffer.alloc(0)
  private frame: FrameHead | undefined
  /** The part of a frame's data that is still to come. */
  private left = 0
  private isOver = false
  /** The number of control frames that were handled. */
  private controls = 0

  constructor(handlers: SpdyHandlers) {
    this.handlers = handlers
  }

  /** Ends the reading. */
  stop(): void {
    this.isOver = true
    this.gathered = Buffer.alloc(0)
  }

  /** Reads until so many control frames were handled, and returns what it has not read. */
  read(chunk: Buffer, mostControls = Number.POSITIVE_INFINITY): Buffer {
    const last = this.controls + mostControls
    let data = chunk
    while (data.length > 0 && !this.isOver && this.controls < last) {
      if (this.frame === undefined) data = this.readHead(data)
      else if (this.frame.isControl) data = this.readControl(this.frame, data)
      else data = this.readData(this.frame, data)
    }
    return this.isOver ? Buffer.alloc(0) : data
  }

  /** Gathers so many bytes; returns what follows them, and whether they are there. */
  private gather(data: Buffer, length: number): { readonly rest: Buffer; readonly whole: Buffer | undefined } {
    const taken = data.subarray(0, length - this.gathered.length)
    const gathered = this.gathered.length === 0 ? taken : Buffer.concat([this.gathered, taken])
    const isWhole = gathered.length === length
    // What is kept must not keep the chunk that it is a part of.
    this.gathered = isWhole ? Buffer.alloc(0) : Buffer.from(gathered)
    return { rest: data.subarray(taken.length), whole: isWhole ? gathered : undefined }
  }

  private readHead(data: Buffer): Buffer {
    const { rest, whole } = this.gather(data, HEAD_BYTES)
    if (whole === undefined) return rest
    const head = headOf(whole)
    if (typeof head === "string") this.fault(head)
    else {
      this.frame = head
      this.left = head.length
      if (head.length === 0) this.endEmpty(head)
    }
    return rest
  }

  private endEmpty(frame: FrameHead): void {
    this.frame = undefined
    if (frame.isControl) this.handle(frame, Buffer.alloc(0))
    else this.handlers.onData(frame.subject, Buffer.alloc(0), (frame.flags & FIN) !== 0)
  }

  private readData({ flags, subject }: FrameHead, data: Buffer): Buffer {
    const taken = data.subarray(0, this.left)
    this.left -= taken.length
    const isEnd = this.left === 0
    if (isEnd) this.frame = undefined
    this.handlers.onData(subject, taken, isEnd && (flags & FIN) !== 0)
    return data.subarray(taken.length)
  }

  private readControl(frame: FrameHead, data: Buffer): Buffer {
    const { rest, whole } = this.gather(data, frame.length)
    if (whole === undefined) return rest
    this.frame = undefined
    this.handle(frame, whole)
    return rest
  }

  private handle({ flags, subject: type }: FrameHead, payload: Buffer) {
    this.controls++
    const fixed = fixedBytes[type]
    if (fixed === undefined) return this.fault(`a frame of type ${type}`)
    if (payload.length < fixed) return this.fault(`a frame of type ${type} that is too short`)
    const id = payload.readUInt32BE(0) & STREAM_ID
    if (type === types.synStream) return this.open(id, flags, this.headers(payload.subarray(fixed)))
    if (type === types.synReply || type === types.headers) {
      if (this.headers(payload.subarray(fixed)) !== undefined && type === types.synReply) this.handlers.onReply(id)
    } else if (type === types.rstStream) this.handlers.onReset(id)
    else if (type === types.ping) this.handlers.onPing(payload.readUInt32BE(0))
    else if (type === types.goAway) this.handlers.onGoAway()
    // Kubernetes' clients control no flow, and have no settings.
  }

  private open(id: number, flags: number, headers: SpdyHeaders | undefined) {
    if (headers === undefined) return
    if (id === 0) return this.fault("a stream with the number 0")
    const isUnidirectional = (flags & UNIDIRECTIONAL) !== 0
    this.handlers.onStream({ id, headers, isLast: (flags & FIN) !== 0, isUnidirectional })
  }

  private headers(block: Buffer): SpdyHeaders | undefined {
    try {
      return this.decoder.decode(block)
    } catch (error) {
      if (!(error instanceof HeaderFault)) throw error
      this.fault(error.message)
      return undefined
    }
  }

  private fault(problem: string): void {
    this.stop()
    this.handlers.onFault(problem)
  }
}
