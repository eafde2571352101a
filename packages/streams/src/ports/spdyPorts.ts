import type { KubeletPorts, KubeletStream } from "../KubeletStream.ts"
import type { SpdyStream, SpdyStreamHandlers } from "../spdy/SpdySession.ts"
import type { SpdyConnection } from "../spdy/spdyConnection.ts"
import { parsePort } from "./ports.ts"

/*
 * Ports forwarded over SPDY: each connection to one has a stream for its data, and one for what prevents it. Upstream:
 * cri-streaming/pkg/streaming/portforward/httpstream.go.
 */

/** Upstream: ProtocolV1Name. */
export const spdyPortProtocols: ReadonlyArray<string> = ["portforward.k8s.io"]

/** Upstream: defaultIdleConnectionTimeout. */
const IDLE_MS = 4 * 60 * 60 * 1000
/** How many connections to ports one client may have, also of those whose second stream it has not opened. */
const MAX_PAIRS = 1024
/** What is kept of data before its connections are made. */
const MAX_EARLY_DATA = 64 * 1024

type StreamType = "error" | "data"

/** The two streams of a connection to a port. */
interface Pair {
  readonly name: string
  error: SpdyStream | undefined
  data: SpdyStream | undefined
  input: ReturnType<KubeletStream["open"]> | undefined
  early: string
  /** Whether the client sends no more. */
  isSent: boolean
  isOver: boolean
}

const newPair = (name: string): Pair => ({
  name,
  error: undefined,
  data: undefined,
  input: undefined,
  early: "",
  isSent: false,
  isOver: false
})

/** Returns what the two streams of a connection have in common: old clients, which open them in turn, name nothing. */
const pairOf = ({ headers, id }: SpdyStream, type: StreamType): string =>
  headers.get("requestid") || String(type === "error" ? id : id - 2)

class PortSession {
  private readonly connection: SpdyConnection
  private readonly ports: KubeletPorts
  private readonly sent: (length: number) => void
  private readonly pairs = new Map<string, Pair>()
  private early = 0

  constructor(connection: SpdyConnection, ports: KubeletPorts, sent: (length: number) => void) {
    this.connection = connection
    this.ports = ports
    this.sent = sent
  }

  accept(stream: SpdyStream): SpdyStreamHandlers | undefined {
    const port = parsePort(stream.headers.get("port") ?? "")
    const type = stream.headers.get("streamtype")
    if (typeof port === "string" || (type !== "error" && type !== "data")) return undefined
    const name = pairOf(stream, type)
    const known = this.pairs.get(name)
    if (known === undefined && this.pairs.size >= MAX_PAIRS) return undefined
    const pair = known ?? newPair(name)
    this.pairs.set(name, pair)
    const isTaken = pair[type] !== undefined
    if (!isTaken) pair[type] = stream
    return {
      opened: () => {
        if (isTaken) {
          const text = `error processing stream for request ${name}: ${type} stream already assigned`
          pair.error?.write(Buffer.from(text))
        } else if (pair.error !== undefined && pair.data !== undefined) this.dial(pair, port)
      },
      data: (data) => {
        if (type === "data" && !isTaken) this.receive(pair, data)
      },
      ended: (isReset) => {
        if (!isTaken && !pair.isOver) this.ended(pair, type, isReset)
      }
    }
  }

  close(): void {
    for (const pair of this.pairs.values()) {
      pair.isOver = true
      pair.input?.close()
    }
    this.pairs.clear()
  }

  private dial(pair: Pair, port: number): void {
    const opened = this.ports.connect(port).open({
      write: (_, text) => {
        this.sent(text.length)
        pair.data?.write(Buffer.from(text, "latin1"))
      },
      isFull: this.connection.isFull,
      end: (status) => this.finish(pair, typeof status === "object" ? status.error : undefined)
    })
    pair.input = opened
    if (pair.isOver) return
    if (pair.early !== "") opened.write(pair.early)
    this.dropEarly(pair)
    if (pair.isSent) opened.end()
  }

  private receive(pair: Pair, data: Buffer): void {
    if (pair.isOver) return
    const text = data.toString("latin1")
    if (pair.input !== undefined) {
      pair.input.write(text)
      return
    }
    pair.early += text
    this.early += text.length
    if (this.early > MAX_EARLY_DATA) this.connection.finish()
  }

  private ended(pair: Pair, type: StreamType, isReset: boolean): void {
    if (isReset) {
      this.finish(pair, undefined)
      pair.input?.close()
    } else if (type === "data") {
      pair.isSent = true
      pair.input?.end()
    }
  }

  private finish(pair: Pair, why: string | undefined): void {
    if (pair.isOver) return
    pair.isOver = true
    this.dropEarly(pair)
    this.pairs.delete(pair.name)
    if (why === undefined) {
      pair.data?.end()
      pair.error?.end()
      return
    }
    pair.error?.write(Buffer.from(why))
    // What went wrong may have been the data: the client opens others.
    pair.data?.reset()
    pair.error?.reset()
  }

  private dropEarly(pair: Pair): void {
    this.early -= pair.early.length
    pair.early = ""
  }
}

/** Connects a client to ports, as often as it asks. */
export const connectSpdyPorts = (connection: SpdyConnection, ports: KubeletPorts, sent: (length: number) => void) => {
  const session = new PortSession(connection, ports, sent)
  connection.expireAfter(IDLE_MS)
  connection.begin({ accept: (stream) => session.accept(stream), closed: () => session.close() })
}
