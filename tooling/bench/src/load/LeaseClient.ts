import { connect, type TLSSocket } from "node:tls"

const HEAD_END = "\r\n\r\n"

export interface Target {
  readonly host: string
  readonly port: number
  readonly ca: string
  /** Lines that every request has, each ended by CRLF: authorization, for one. */
  readonly headers: string
}

/** The body and the path of the `number`th request. */
export interface Put {
  readonly path: string
  readonly body: string
}

/**
 * One keep-alive connection that sends a PUT, waits for the answer, and sends the next. Raw TLS, and no more of HTTP than answers
 * with a content-length need, so that of two cores the server has most.
 */
export class LeaseClient {
  private readonly socket: TLSSocket
  private readonly target: Target
  private received = ""
  private answered: ((code: number) => void) | undefined

  private constructor(target: Target, socket: TLSSocket) {
    this.target = target
    this.socket = socket
    socket.setNoDelay(true)
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => this.receive(text))
    socket.on("error", () => this.answer(0))
    socket.on("close", () => this.answer(0))
  }

  static open(target: Target): Promise<LeaseClient> {
    return new Promise((resolve, reject) => {
      const { ca, host, port } = target
      const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] })
      socket.once("error", reject)
      socket.once("secureConnect", () => resolve(new LeaseClient(target, socket)))
    })
  }

  /** Calls back with the answer's code, 0 when the connection is gone. */
  put({ body, path }: Put, answered: (code: number) => void): void {
    this.answered = answered
    const { headers, host, port } = this.target
    this.socket.write(
      `PUT ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/json\r\n${headers}` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  }

  close(): void {
    this.socket.destroy()
  }

  private receive(text: string): void {
    this.received += text
    const head = this.received.indexOf(HEAD_END)
    if (head < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.received)?.[1]
    if (length === undefined) {
      this.close()
      return
    }
    if (this.received.length < head + HEAD_END.length + Number(length)) return
    const code = Number(this.received.slice(9, 12))
    this.received = ""
    this.answer(code)
  }

  private answer(code: number): void {
    const { answered } = this
    this.answered = undefined
    answered?.(code)
  }
}
