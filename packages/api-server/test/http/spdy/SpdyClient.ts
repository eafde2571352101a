import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import { HeaderEncoder } from "../../../src/http/wire/spdy/headerBlocks.ts"
import { SpdyReader, spdyFrames } from "../../../src/http/wire/spdy/spdyFrames.ts"

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

interface Asked {
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: string
  /** Called once the server has agreed. */
  readonly talk?: (client: SpdyClient, socket: Socket) => void
  /** Called after everything that was read. */
  readonly heard?: (client: SpdyClient, socket: Socket) => void
}

const asking = {
  Host: "x",
  Connection: "Upgrade",
  Upgrade: "SPDY/3.1",
  "X-Stream-Protocol-Version": "v4.channel.k8s.io",
  Authorization: "Bearer admin",
  "Content-Length": "0"
}

/** Talks to a server until it closes. */
export const talkSpdy = (open: () => Socket, { headers, heard, method = "POST", path, talk }: Asked) =>
  Effect.callback<{ readonly head: string; readonly client: SpdyClient; readonly body: string }>((resume) => {
    const socket = open()
    const client = new SpdyClient((bytes) => void socket.write(bytes))
    let head: string | undefined
    let received = Buffer.alloc(0)
    const lines = Object.entries({ ...asking, ...headers }).filter(([, value]) => value !== undefined)
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (head === undefined) {
        const end = received.indexOf("\r\n\r\n")
        if (end < 0) return
        head = received.toString("latin1", 0, end)
        received = received.subarray(end + 4)
        if (head.includes(" 101 ")) talk?.(client, socket)
      }
      if (!head.includes(" 101 ")) return
      client.read(received)
      received = Buffer.alloc(0)
      heard?.(client, socket)
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed({ head: head ?? "", client, body: received.toString() })))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout("10 seconds"))

export const plain = (port: number) => (): Socket => connect({ port, host: "127.0.0.1" })
