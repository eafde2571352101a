import type { OnReadOpts } from "node:net"
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls"
import { type Answered, AnswerReader } from "./AnswerReader.ts"

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

const NOTHING = Buffer.alloc(0)

/** A request as it goes over the wire. */
export const requestText = ({ headers, host, port }: Target, { body, method, path }: Request): string => {
  const content = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: application/json\r\n${headers}${content}\r\n${body}`
}

/** What sockets read, each until its reader returns: a buffer for each read costs the client more than the read itself. */
const readBytes = Buffer.allocUnsafeSlow(64 * 1024)

/** A TLS connection to the target. `read` is called with bytes that are gone when it returns. */
export const openSocket = ({ ca, host, port }: Target, read: (bytes: Buffer) => void): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const callback = (count: number): boolean => {
      read(readBytes.subarray(0, count))
      return true
    }
    const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
      ...{ host, port, ca, ALPNProtocols: ["http/1.1"] },
      onread: { buffer: readBytes, callback }
    }
    const socket = connect(options)
    socket.setNoDelay(true)
    socket.once("error", reject)
    socket.once("secureConnect", () => resolve(socket))
  })

/**
 * One keep-alive connection that sends a request, waits for the answer, and sends the next. Raw TLS, and no more of HTTP than it needs,
 * so that of two cores the server has most.
 */
export class HttpClient {
  private readonly socket: TLSSocket
  private readonly target: Target
  private answered: Answered | undefined

  private constructor(target: Target, socket: TLSSocket) {
    this.target = target
    this.socket = socket
    socket.on("error", () => this.answer(0, NOTHING))
    socket.on("close", () => this.answer(0, NOTHING))
  }

  static async open(target: Target): Promise<HttpClient> {
    const answers = new AnswerReader((code, body) => client.answer(code, body))
    const client: HttpClient = new HttpClient(target, await openSocket(target, (bytes) => answers.read(bytes)))
    return client
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

  private answer(code: number, body: Buffer): void {
    const { answered } = this
    this.answered = undefined
    answered?.(code, body)
  }
}
