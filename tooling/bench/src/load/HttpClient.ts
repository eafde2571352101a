import { connect, type TLSSocket } from "node:tls"

const HEAD_END = "\r\n\r\n"

export interface Target {
  readonly host: string
  readonly port: number
  readonly ca: string
  /** Lines that every request has, each ended by CRLF: authorization, for one. */
  readonly headers: string
}

export interface Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE"
  readonly path: string
  /** Empty: none. */
  readonly body: string
}

/** `code` is 0 when the connection is gone. */
export type Answered = (code: number, body: Buffer) => void

const NOTHING = Buffer.alloc(0)

/** A request as it goes over the wire. */
export const requestText = ({ headers, host, port }: Target, { body, method, path }: Request): string => {
  const content = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: application/json\r\n${headers}${content}\r\n${body}`
}

/** A TLS connection to the target. */
export const openSocket = ({ ca, host, port }: Target): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] })
    socket.setNoDelay(true)
    socket.once("error", reject)
    socket.once("secureConnect", () => resolve(socket))
  })

/** The body ends with its last chunk. */
const CHUNKS = -1
const LAST_CHUNK = Buffer.from("0\r\n\r\n")

/** The body that came in these chunks. */
const joined = (chunked: Buffer): Buffer => {
  const parts: Array<Buffer> = []
  let at = 0
  for (;;) {
    const line = chunked.indexOf("\r\n", at)
    const size = Number.parseInt(chunked.toString("latin1", at, line), 16)
    if (line < 0 || !(size > 0)) return Buffer.concat(parts)
    parts.push(chunked.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}

/**
 * One keep-alive connection that sends a request, waits for the answer, and sends the next. Raw TLS, and no more of HTTP than answers
 * of one piece or in chunks need, so that of two cores the server has most.
 */
export class HttpClient {
  private readonly socket: TLSSocket
  private readonly target: Target
  private parts: Array<Buffer> = []
  private received = 0
  /** Of head and body together; undefined until the head is here. */
  private expected: number | undefined
  private head = 0
  private answered: Answered | undefined

  private constructor(target: Target, socket: TLSSocket) {
    this.target = target
    this.socket = socket
    socket.on("data", (bytes: Buffer) => this.receive(bytes))
    socket.on("error", () => this.answer(0, NOTHING))
    socket.on("close", () => this.answer(0, NOTHING))
  }

  static async open(target: Target): Promise<HttpClient> {
    return new HttpClient(target, await openSocket(target))
  }

  static openAll(target: Target, count: number): Promise<ReadonlyArray<HttpClient>> {
    return Promise.all(Array.from({ length: count }, () => HttpClient.open(target)))
  }

  send(request: Request, answered: Answered): void {
    this.answered = answered
    this.socket.write(requestText(this.target, request))
  }

  close(): void {
    this.socket.destroy()
  }

  private receive(bytes: Buffer): void {
    this.parts.push(bytes)
    this.received += bytes.length
    if (this.expected === undefined) {
      const all = this.parts.length === 1 ? bytes : Buffer.concat(this.parts)
      this.parts = [all]
      const end = all.indexOf(HEAD_END)
      if (end < 0) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(all.toString("latin1", 0, end))?.[1]
      this.head = end + HEAD_END.length
      this.expected = length === undefined ? CHUNKS : this.head + Number(length)
    }
    if (
      this.expected === CHUNKS ? !bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : this.received < this.expected
    )
      return
    const all = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts)
    this.parts = []
    this.received = 0
    const body = all.subarray(this.head)
    const isChunked = this.expected === CHUNKS
    this.expected = undefined
    this.answer(Number(all.toString("latin1", 9, 12)), isChunked ? joined(body) : body)
  }

  private answer(code: number, body: Buffer): void {
    const { answered } = this
    this.answered = undefined
    answered?.(code, body)
  }
}
