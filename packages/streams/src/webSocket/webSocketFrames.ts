/*
 * Frames of RFC 6455 as Kubernetes' server reads and writes them. Upstream: golang.org/x/net/websocket/hybi.go.
 */

const FINAL = 0x80
const MASKED = 0x80
const OPCODE = 0x0f
const LENGTH = 0x7f

const CONTINUATION = 0
export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export const closeCodes = { normal: 1000, protocolError: 1002 } as const

/** Returns a whole message in one frame. */
export const frameOf = (opcode: number, payload: Uint8Array): Buffer => {
  const { length } = payload
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.allocUnsafe(2 + extra + length)
  frame[0] = FINAL | opcode
  frame[1] = extra === 0 ? length : extra === 2 ? 126 : 127
  if (extra === 2) frame.writeUInt16BE(length, 2)
  else if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.set(payload, 2 + extra)
  return frame
}

export const closeFrame = (code: number): Buffer => {
  const payload = Buffer.allocUnsafe(2)
  payload.writeUInt16BE(code)
  return frameOf(opcodes.close, payload)
}

/** Longer messages end the connection. Upstream: DefaultMaxPayloadBytes. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** Of a longer ping, a pong repeats this much. Upstream: maxControlFramePayloadLength. */
const MAX_CONTROL_BYTES = 125
const MAX_HEADER_BYTES = 14
/** The frames that are handled at a time: a ping costs microseconds and an answer. */
const FRAMES_PER_TURN = 256

const NOTHING = Buffer.alloc(0)

interface FrameHead {
  readonly bytes: number
  readonly opcode: number
  readonly length: number
  readonly mask: Uint8Array | undefined
}

/** Returns the head of the frame that the bytes begin with; undefined until it is there as a whole. */
const readHead = (data: Buffer): FrameHead | undefined => {
  const [first, second] = data
  if (first === undefined || second === undefined) return undefined
  const short = second & LENGTH
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  const isMasked = (second & MASKED) !== 0
  const bytes = 2 + extra + (isMasked ? 4 : 0)
  if (data.length < bytes) return undefined
  const long = () => Number(data.readBigUInt64BE(2) & 0x7fff_ffff_ffff_ffffn)
  const length = extra === 0 ? short : extra === 2 ? data.readUInt16BE(2) : long()
  return { bytes, opcode: first & OPCODE, length, mask: isMasked ? data.subarray(bytes - 4, bytes) : undefined }
}

/** What a client's frames ask of its server. */
export interface FrameHandlers {
  readonly onPing: (payload: Buffer) => void
  /** Called once, at a close frame or at one that breaks the protocol, with the code that answers the latter. */
  readonly onEnd: (code: number | undefined) => void
  /** Receives messages as they arrive; without it they are dropped. A message begins with `isStart`. */
  readonly onData?: (data: Buffer, isStart: boolean) => void
}

/** Reads the frames of a client. Messages are handed over or dropped as they arrive, and never gathered. */
export class FrameReader {
  private readonly handlers: FrameHandlers
  /** The part of a head that has arrived. */
  private head: Buffer = NOTHING
  private frame: FrameHead | undefined
  /** The part of the frame's payload that is still to come. */
  private left = 0
  private ping: Array<number> = []
  private isOver = false

  constructor(handlers: FrameHandlers) {
    this.handlers = handlers
  }

  /** Reads a chunk, up to `maxFrames` frames of it, and returns the rest. */
  read(chunk: Buffer, maxFrames = FRAMES_PER_TURN): Buffer {
    let data = chunk
    let frames = 0
    while (data.length > 0 && !this.isOver && frames < maxFrames) {
      data = this.frame === undefined ? this.readNext(data) : this.skip(this.frame, data)
      if (this.frame === undefined || this.left > 0) continue
      this.complete(this.frame)
      frames++
    }
    return this.isOver ? NOTHING : data
  }

  private readNext(data: Buffer): Buffer {
    const before = this.head.length
    const start = data.subarray(0, MAX_HEADER_BYTES - before)
    const head = before === 0 ? start : Buffer.concat([this.head, start])
    const frame = readHead(head)
    if (frame === undefined) {
      this.head = Buffer.from(head)
      return data.subarray(head.length - before)
    }
    this.head = NOTHING
    if (frame.mask === undefined) this.end(closeCodes.protocolError)
    else if (frame.opcode === opcodes.close || frame.length > MAX_MESSAGE_BYTES) this.end(undefined)
    this.frame = frame
    this.left = frame.length
    this.ping = []
    return data.subarray(frame.bytes - before)
  }

  private skip(frame: FrameHead, data: Buffer): Buffer {
    const taken = data.subarray(0, this.left)
    this.left -= taken.length
    if (frame.opcode === opcodes.ping && frame.mask !== undefined) this.gather(taken, frame.mask)
    else if (frame.opcode <= opcodes.binary) this.handOver(frame, taken)
    return data.subarray(taken.length)
  }

  private handOver({ length, mask, opcode }: FrameHead, taken: Buffer): void {
    const { onData } = this.handlers
    if (onData === undefined || mask === undefined || taken.length === 0) return
    const from = length - this.left - taken.length
    const data = Buffer.from(taken)
    for (let at = 0; at < data.length; at++) data[at] = (data[at] as number) ^ (mask[(from + at) % 4] as number)
    onData(data, opcode !== CONTINUATION && from === 0)
  }

  private gather(payload: Buffer, mask: Uint8Array): void {
    for (const byte of payload.subarray(0, MAX_CONTROL_BYTES - this.ping.length)) {
      this.ping.push(byte ^ (mask[this.ping.length % mask.length] as number))
    }
  }

  private complete({ opcode }: FrameHead): void {
    this.frame = undefined
    if (!this.isOver && opcode === opcodes.ping) this.handlers.onPing(Buffer.from(this.ping))
  }

  private end(code: number | undefined): void {
    this.isOver = true
    this.handlers.onEnd(code)
  }
}
