import { HeaderEncoder } from "../spdy/headerBlocks.ts"
import { SpdyReader, spdyFrames } from "../spdy/spdyFrames.ts"

/** What a server has sent over a stream. */
export interface ReceivedStream {
  text: string
  isReplied: boolean
  isEnded: boolean
  isReset: boolean
}

/** The client's side of a connection with streams. */
export class SpdyClient {
  readonly streams = new Map<number, ReceivedStream>()
  readonly pings: Array<number> = []
  readonly faults: Array<string> = []
  hasGoneAway = false
  private readonly write: (bytes: Buffer) => void
  private readonly encoder = new HeaderEncoder()
  private readonly reader: SpdyReader
  private nextId = 1

  constructor(write: (bytes: Buffer) => void) {
    this.write = write
    this.reader = new SpdyReader({
      onStream: () => this.faults.push("a stream of the server"),
      onReply: (id) => {
        this.of(id).isReplied = true
      },
      onData: (id, data, isLast) => {
        const stream = this.of(id)
        stream.text += data.toString()
        stream.isEnded ||= isLast
      },
      onReset: (id) => {
        this.of(id).isReset = true
      },
      onPing: (id) => this.pings.push(id),
      onGoAway: () => {
        this.hasGoneAway = true
      },
      onFault: (problem) => this.faults.push(problem)
    })
  }

  read(chunk: Buffer): void {
    this.reader.read(chunk)
  }

  of(id: number): ReceivedStream {
    const stream = this.streams.get(id) ?? { text: "", isReplied: false, isEnded: false, isReset: false }
    this.streams.set(id, stream)
    return stream
  }

  open(headers: Readonly<Record<string, string>>): number {
    const id = this.nextId
    this.nextId += 2
    this.write(spdyFrames.open(id, this.encoder.encode(new Map(Object.entries(headers)))))
    return id
  }

  send(id: number, text: string, isLast = false): void {
    this.write(spdyFrames.data(id, Buffer.from(text), isLast))
  }
}
